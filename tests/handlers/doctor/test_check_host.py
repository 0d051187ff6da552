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
    ("host", "said", "remedy"),
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
def test_each_weakness_is_a_warning_with_its_remedy(host: Host, said: str, remedy: str) -> None:
    """Tailback still starts."""
    (found,) = of_host(host, settings())
    assert found.state is Level.WARNING
    assert said in found.text
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
