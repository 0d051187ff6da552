"""The doctor looks at the machine: each weakness is a warning with its remedy."""

from pathlib import Path
from typing import Any

import pytest

from bot.config import Environment, File, Settings
from handlers.doctor.check_host import Host, of_host, this_host
from handlers.doctor.findings import Level


def settings(**tables: Any) -> Settings:
    return Settings(Environment(), File.model_validate(tables))


def test_a_fine_machine_has_one_line() -> None:
    assert [one.state for one in of_host(Host(modes={Path(".env"): 0o640}), settings())] == [Level.OK]


@pytest.mark.parametrize(
    ("host", "sentence", "remedy"),
    [
        (Host(root=True), "as root", "its own user"),
        (Host(modes={Path(".env"): 0o644}), "can read .env", "chmod o-r .env"),
        (Host(modes={Path("tailback.toml"): 0o642}), "can change tailback.toml", "chmod o-w tailback.toml"),
        (
            Host(modes={Path("tailback.toml"): 0o646}, owners={Path("tailback.toml"): "root"}),
            "can change tailback.toml",
            "root owns it: ask for chmod o-w",
        ),
        (Host(files=1024), "1,024 files", "LimitNOFILE"),
        (Host(free_bytes=200 * 1024**2), "200 MiB", "free some space"),
    ],
)
def test_each_weakness_is_a_warning_with_its_remedy(host: Host, sentence: str, remedy: str) -> None:
    """Tailback still starts."""
    (found,) = of_host(host, settings())
    assert found.state is Level.WARNING
    assert sentence in found.text
    assert remedy in found.remedy


def test_a_configuration_that_a_service_must_read_is_no_weakness() -> None:
    """The unit's own user is neither owner nor in the group; without the right to read, Tailback does not start."""
    modes = {Path("/etc/tailback/tailback.toml"): 0o644, Path("/etc/tailback/.env"): 0o600}
    assert [one.state for one in of_host(Host(modes=modes), settings())] == [Level.OK]


@pytest.mark.parametrize(
    ("table", "warned"),
    [
        ({"url": "http://prometheus.example:9090", "token_env": "T"}, True),
        ({"url": "https://prometheus.example", "token_env": "T"}, False),
        ({"url": "http://localhost:9090", "token_env": "T"}, False),
        ({"url": "http://prometheus.example:9090"}, False),
    ],
)
def test_a_token_over_plain_http_to_another_machine_is_a_warning(table: dict[str, str], warned: bool) -> None:
    """Whoever is between reads it."""
    (found,) = of_host(Host(), settings(metrics={"p": {"kind": "prometheus", **table}}))
    assert (found.state is Level.WARNING) is warned


@pytest.mark.parametrize("place", ["file", "file/data", "/proc/1/no/such"])
def test_a_data_folder_that_no_server_could_use_is_a_problem(place: str, tmp_path: Path) -> None:
    """`tailback run` refuses to start with it."""
    (tmp_path / "file").touch()
    (tmp_path / "tailback.toml").touch(mode=0o600)
    env = Environment(tailback_config=tmp_path / "tailback.toml", tailback_data=tmp_path / place)
    found = of_host(this_host(Settings(env, File())), settings())
    assert [one.text for one in found if one.state is Level.PROBLEM and "cannot keep its records" in one.text]


def test_this_machine_can_be_looked_at(tmp_path: Path) -> None:
    """The files beside the configuration, the limit of open files, and the disk."""
    (tmp_path / ".env").touch(mode=0o600)
    env = Environment(tailback_config=tmp_path / "tailback.toml", tailback_data=tmp_path / "not" / "there")
    host = this_host(Settings(env, File()))
    assert host.modes == {tmp_path / ".env": 0o600}
    assert host.free_bytes is not None
    assert host.files > 0


@pytest.mark.parametrize(
    ("variables", "tables", "place"),
    [
        ({"SLACK_API_URL": "http://slack.example/api/"}, {}, "SLACK_API_URL"),
        ({"SLACK_API_URL": "http://127.0.0.1:9/api/"}, {}, ""),
        ({}, {"pager": {"p": {"kind": "pagerduty", "url": "http://pager.example", "token_env": "T"}}}, "[pager.p]"),
        ({"P": "http://pager.example/secret"}, {"pager": {"p": {"kind": "webhook", "url_env": "P"}}}, "[pager.p]"),
        ({}, {"issues": {"repository": "o/r", "url": "http://ghe.example", "token_env": "T"}}, "[issues]"),
    ],
)
def test_every_token_that_goes_out_in_clear_text_is_named(
    variables: dict[str, str], tables: dict[str, Any], place: str
) -> None:
    """Slack's, a pager's, GitHub's; within this machine nobody is between."""
    env = Environment.model_validate({name.lower(): value for name, value in variables.items()})
    found = of_host(Host(), Settings(env, File.model_validate(tables), variables))
    assert [(one.state, one.text.partition(" ")[0]) for one in found] == [
        (Level.WARNING, place) if place else (Level.OK, "User,")
    ]
    assert not place or "without encryption" in found[0].text


@pytest.mark.parametrize(
    ("url", "warned"),
    [("http://ci.example:8080", True), ("https://ci.example", False), ("http://127.0.0.1:8080", False)],
)
def test_an_api_without_tls_is_named(url: str, warned: bool) -> None:
    """Its tokens would be read on the way; on this machine nobody is between."""
    api = {"url": url, "tokens": [{"name": "grafana", "token_env": "T"}]}
    found = of_host(Host(), Settings(Environment(), File.model_validate({"api": api})))
    assert [one.text for one in found if one.state is Level.WARNING] == (
        ["The tokens of [api] come to ci.example without encryption"] if warned else []
    )


@pytest.mark.parametrize(
    ("variables", "container", "state"),
    [
        ({}, False, None),
        ({"host": "::1"}, False, None),
        ({"host": "0.0.0.0"}, False, Level.WARNING),
        ({"host": "10.1.2.3"}, False, Level.WARNING),
        ({"host": "0.0.0.0"}, True, Level.OK),
        ({"host": "0.0.0.0", "forwarded_allow_ips": "10.0.0.0/8"}, False, None),
    ],
)
def test_whoever_lets_strangers_in_without_a_proxy_is_told(
    variables: dict[str, str], container: bool, state: Level | None
) -> None:
    """On a host a warning; in a container, where the published port decides, one line of advice."""
    found = of_host(Host(in_container=container), Settings(Environment.model_validate(variables), File()))
    about = [one for one in found if variables.get("host", "nowhere") in one.text]
    assert [one.state for one in about] == ([state] if state else [])
    assert all("nginx" in one.text + one.remedy for one in about)
