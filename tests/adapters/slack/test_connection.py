"""The way to Slack: a proxy, its login and an authority of one's own, for calls, files and what the doctor says."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from bot.adapters.http.connection import DIRECT, ConnectOptions
from bot.adapters.integrations import build
from bot.config import ConfigError, load
from bot.ports import Failure, Message, Unreachable
from handlers.doctor.check import examined
from handlers.doctor.findings import CheckFinding, Level
from handlers.wiring_tools import check_targets
from tests.adapters.on_the_way import Proxy, in_tls, proxying, serving_tls
from tests.adapters.slack.chatting import chatting
from tests.playground.slack_kit import CI, standing

LOGIN = "tailback:hunter22-long"
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")


async def posted(url: str, options: ConnectOptions) -> None:
    async with chatting(url, options) as chat:
        await chat.post(CI, Message("14 jobs wait."), key="m1")


async def refused(url: str, options: ConnectOptions) -> Unreachable:
    """What one message raised; it never shows the login."""
    with pytest.raises(Unreachable) as caught:
        await posted(url, options)
    assert "hunter22" not in str(caught.value)
    assert "dGFpbGJhY2s" not in str(caught.value)
    return caught.value


async def test_calls_go_through_the_proxy() -> None:
    """The proxy is told who we are, Slack is not told of that."""
    proxy = Proxy(answer=None, login=LOGIN)
    async with standing() as kit, proxying(proxy) as address:
        async with chatting(kit.url, ConnectOptions(proxy=address, login=LOGIN)) as chat:
            await chat.post(CI, Message("14 jobs wait."), key="m1")
        calls = [call.method for call in kit.stand_in.log.calls]
    assert calls == ["chat.postMessage"]
    assert [line.split()[:2] for line in proxy.lines] == [["POST", f"{kit.url}/api/chat.postMessage"]]


async def test_tls_is_spoken_with_slack_itself_and_the_proxy_sees_no_token(tmp_path: Path) -> None:
    """By CONNECT: our login stands in what the proxy gets, the bot token does not."""
    proxy = Proxy(login=LOGIN)
    async with standing() as kit, in_tls(tmp_path, kit.url) as (url, ca_file), proxying(proxy) as address:
        await posted(url, ConnectOptions(ca_file, address, LOGIN))
        assert [call.method for call in kit.stand_in.log.calls] == ["chat.postMessage"]
    (head,) = proxy.heads
    assert head.startswith(f"CONNECT {url.removeprefix('https://')} ")
    assert "xoxb" not in head


@pytest.mark.parametrize("through", [False, True])
async def test_an_authority_that_nobody_named_is_refused_with_the_setting_that_helps(
    tmp_path: Path, through: bool
) -> None:
    """A company's proxy that reads along has a certificate of its own; no setting turns the check off."""
    async with serving_tls(tmp_path, b"{}") as (url, _), proxying(Proxy()) as address:
        error = await refused(url, ConnectOptions(proxy=address) if through else DIRECT)
    assert error.failure is Failure.UNCONNECTED
    assert "certificate" in error.reason
    assert error.reason.endswith("; name the file of the authority that signed the certificate in ca_file of [slack]")


DEAD = "http://127.0.0.1:9"
AWAY = ("the proxy 127.0.0.1:9 cannot be reached (", "check proxy in [slack], and that it runs")
LOGIN_NEEDED = ("the proxy wants another login (HTTP 407)", "name the variable with its user:password in ")
FORBIDDEN = ("the proxy does not lead there (HTTP 403 Forbidden)", "let it pass slack.com and its subdomains")


@pytest.mark.parametrize(
    ("slack", "proxy", "login", "problem"),
    [
        *((f"{scheme}://slack.test", None, LOGIN, AWAY) for scheme in ("https", "http")),
        *(
            (f"{scheme}://slack.test", Proxy(login=LOGIN), login, LOGIN_NEEDED)
            for scheme in ("https", "http")
            for login in ("", "tailback:hunter22-wrong")
        ),
        ("https://slack.test", Proxy(refuses=b"403 Forbidden"), LOGIN, FORBIDDEN),
    ],
)
async def test_a_proxy_that_does_not_lead_to_slack_is_named(
    slack: str, proxy: Proxy | None, login: str, problem: tuple[str, str]
) -> None:
    """Who reads it must not look for the fault at Slack, which heard nothing.

    For CONNECT it is an error of the connection, for plain HTTP an answer.
    """
    async with proxying(proxy or Proxy()) as address:
        error = await refused(slack, ConnectOptions(proxy=address if proxy else DEAD, login=login))
    assert error.failure is Failure.UNCONNECTED
    assert error.what.partition(": ")[2].startswith(problem[0])
    assert error.remedy.startswith(problem[1])


async def test_the_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a proxy of our own and without one."""
    theirs, ours = Proxy(answer=None), Proxy(answer=None)
    async with standing() as kit, proxying(theirs) as stranger, proxying(ours) as address:
        for name in PROXIES:
            monkeypatch.setenv(name, stranger)
        await posted(kit.url, DIRECT)
        await posted(kit.url, ConnectOptions(proxy=address))
    assert (len(theirs.heads), len(ours.heads)) == (0, 1)


def settings_of(folder: Path, slack: str, more: str, **variables: str) -> Mapping[str, str]:
    (folder / "tailback.toml").write_text(f'[slack]\nchannel = "{CI}"\n{more}')
    places = {"TAILBACK_CONFIG": str(folder / "tailback.toml"), "TAILBACK_DATA": str(folder / "data")}
    return {**places, "SLACK_BOT_TOKEN": "xoxb-demo", "SLACK_API_URL": f"{slack}/api/", **variables}


async def doctor_says(given: Mapping[str, str]) -> list[CheckFinding]:
    """What `tailback check` finds out about Slack."""
    settings = load(given)
    async with check_targets(settings) as tools:
        return [finding for finding in await examined(settings, tools) if finding.area == "slack"]


async def test_the_doctor_goes_by_the_same_way(tmp_path: Path) -> None:
    """The app-level token's question too."""
    proxy = Proxy(login=LOGIN)
    async with standing() as kit, in_tls(tmp_path, kit.url) as (url, ca_file), proxying(proxy) as address:
        more = f'proxy = "{address}"\nproxy_basic_env = "LOGIN"\nca_file = "{ca_file}"\n'
        found = await doctor_says(settings_of(tmp_path, url, more, LOGIN=LOGIN, SLACK_APP_TOKEN="xapp-demo"))
    texts = [finding.text for finding in found if finding.state is Level.OK]
    assert "Connected to Acme CI as tailback" in texts
    assert "Socket Mode connects" in texts
    assert proxy.lines


@pytest.mark.parametrize(
    ("refuses", "problem"), [(b"", AWAY), (b"407 No", LOGIN_NEEDED), (b"403 Forbidden", FORBIDDEN)]
)
async def test_the_doctor_says_what_is_wrong_with_the_proxy(
    tmp_path: Path, refuses: bytes, problem: tuple[str, str]
) -> None:
    """Dead, without a login, or with a list that Slack is not on; each with what to do."""
    async with proxying(Proxy(refuses=refuses)) as address:
        given = address if refuses else DEAD
        found = await doctor_says(settings_of(tmp_path, "https://slack.test", f'proxy = "{given}"\n'))
    (finding,) = found
    assert finding.state is Level.PROBLEM
    assert finding.text.startswith(f"The bot token: auth.test: {problem[0]}")
    assert finding.remedy.startswith(problem[1])


async def test_the_doctor_asks_slack_nothing_by_a_way_that_cannot_be_gone(tmp_path: Path) -> None:
    """What is wrong is said once, and nothing goes out past the proxy."""
    proxy = Proxy(answer=None)
    async with standing() as kit, proxying(proxy) as address:
        more = f'proxy = "{address}"\nproxy_basic_env = "LOGIN"\n'
        settings = load(settings_of(tmp_path, kit.url, more))
        async with check_targets(settings) as tools:
            assert tools.slack is None
            problem = [problem.place for problem in tools.problems if problem.place.startswith("[slack]")]
        assert kit.stand_in.log.calls == []
    assert problem == ["[slack]: proxy_basic_env: LOGIN"]


@pytest.mark.parametrize("table", ["slack", "sns", "outside_slack"])
async def test_a_way_that_cannot_be_gone_keeps_tailback_from_starting(tmp_path: Path, table: str) -> None:
    """With the table's name and the remedy, whichever of the three it is."""
    more = 'url_env = "PAGER"\n' if table == "outside_slack" else ""
    head = "" if table == "slack" else f"[{table}]\n{more}"
    given = settings_of(tmp_path, "https://slack.test", f'{head}ca_file = "/no/such.pem"\n', PAGER="https://pager.test")
    with pytest.raises(ConfigError) as caught:
        build(load(given), lambda: 0.0)
    (problem,) = caught.value.problems
    assert str(problem).startswith(
        f"[{table}]: ca_file: /no/such.pem cannot be used (No such file or directory); name a "
    )


def test_the_proxy_of_a_table_is_judged_with_the_file(tmp_path: Path) -> None:
    """Its place is named, and a password that stands in it is not shown."""
    with pytest.raises(ConfigError) as caught:
        load(settings_of(tmp_path, "https://slack.test", f'proxy = "http://{LOGIN}@proxy.corp:3128"\n'))
    (problem,) = caught.value.problems
    assert "slack.proxy: must not carry a name and password; name a variable" in str(problem)
    assert "hunter22" not in str(problem)
