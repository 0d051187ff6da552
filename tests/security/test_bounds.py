"""C4, C17: no header or answer of a back end makes a source wait, compute or crash without a bound."""

import time
from collections.abc import Awaitable, Callable

import httpx
import pytest

from bot.adapters.github.api import LONGEST_HOUR_SECONDS, Allowance, GitHubApi, Token
from bot.adapters.github.pages import Pages
from bot.adapters.http.client import LONGEST_PAUSE_SECONDS, HttpPool
from bot.adapters.metrics import buildkite, github, gitlab
from bot.adapters.source import Listed, Listing
from bot.ports import Failure, Metrics, Unreachable
from tests.adapters.back_end import URL, parts_with
from tests.adapters.scalers.aws_api import patient_aws
from tests.answering import answering_with

NOW = 1_700_000_000.0
NUMBERS = (b"9" * 5000, b"9" * 12, b"-1", b"1e999", b"nan", "٣".encode(), b"0x10", b"")
HEADERS = ("x-ratelimit-remaining", "x-ratelimit-reset", "x-ratelimit-limit", "retry-after")


def pages(headers: dict[str, bytes], status: int = 200) -> Pages[object]:
    """Lists of a GitHub whose every answer has these headers."""
    given = [(name.encode(), value) for name, value in headers.items()]
    answer = httpx.MockTransport(lambda _: httpx.Response(status, json=[{"id": 1}], headers=given))
    http = HttpPool(answer).http("GitHub", URL, answers=frozenset({401, 403, 429}))
    return Pages(GitHubApi(http, Token("T"), lambda: NOW, 500), "", lambda row: row)


async def refusal(call: Awaitable[object]) -> Unreachable | None:
    """Why a call failed; None when it did not."""
    try:
        await call
    except Unreachable as error:
        return error
    return None


@pytest.mark.parametrize("status", [200, 403, 429])
@pytest.mark.parametrize("value", NUMBERS)
@pytest.mark.parametrize("name", HEADERS)
async def test_an_odd_number_of_github_is_no_crash_and_no_endless_wait(name: str, value: bytes, status: int) -> None:
    """At most two hours, whatever it says; the next question is answered in words as well."""
    usual = {"x-ratelimit-remaining": b"0", "x-ratelimit-reset": f"{NOW + 60:.0f}".encode()}
    lists = pages({**usual, name: value}, status)
    for _ in range(2):
        why = await refusal(lists.whole("/orgs/o/x", {}, Allowance(5)))
        if why is not None:
            assert why.failure in {Failure.LATER, Failure.CREDENTIALS}
            assert (why.retry_after_seconds or 0.0) <= LONGEST_HOUR_SECONDS


@pytest.mark.parametrize("page", [b"9" * 3000, b"9" * 9, b"9" * 12])
async def test_a_list_that_claims_endless_pages_is_not_taken_for_whole(page: bytes) -> None:
    """Nor followed beyond what one round may ask."""
    lists = pages({"link": b'<https://evil.example/?page=%s>; rel="last"' % page})
    gap = (await lists.whole("/orgs/o/x", {}, Allowance(5))).gap
    assert "were used up" in gap.why


@pytest.mark.parametrize("piece", ["<?page=1", "?page=1", "<a>;", "<?page=1>; ", "<", "9"])
@pytest.mark.parametrize("kind", ["github", "gitlab"])
async def test_a_long_header_of_links_takes_no_time(kind: str, piece: str) -> None:
    """An expression that looks through it again and again would stop the whole process."""
    builds: dict[str, Callable[..., Metrics]] = {"github": github.build, "gitlab": gitlab.build}
    owner = {"github": {"organizations": ["o"]}, "gitlab": {"projects": ["g/p"]}}[kind]
    header = {"Link": "<" + piece * (60_000 // len(piece))}
    async with HttpPool(httpx.MockTransport(lambda _: httpx.Response(200, json=[], headers=header))) as wire:
        raw = {"kind": kind, "url": URL, "token_env": "T", **owner}
        source = builds[kind](kind, "place", raw, {"linux": {}}, parts_with(wire, {"T": "token"}))
        begun = time.process_time()
        why = await refusal(source.snapshot("linux"))
        assert time.process_time() - begun < 2.0
        assert len(str(why)) < 2000


@pytest.mark.parametrize("asked", [1e300, float("inf"), 10_000.0])
async def test_no_source_asks_to_be_left_alone_for_ever(asked: float) -> None:
    """Buildkite and others name a pause; it is kept, up to five minutes."""
    now, calls = [NOW], list[int]()

    async def ask(at: float) -> Listed[int]:
        calls.append(1)
        return Listed(1, at, asked)

    listing = Listing(ask, lambda: now[0])
    for later, times in ((0.0, 1), (LONGEST_PAUSE_SECONDS - 1, 1), (2.0, 2)):
        now[0] += later
        await listing.get()
        assert len(calls) == times


@pytest.mark.parametrize("value", ["9" * 400, "-5", "soon", "nan"])
async def test_an_odd_pause_of_buildkite_is_none(value: str) -> None:
    """The figures are told all the same."""
    body = {"jobs": {"queues": {"linux": {"scheduled": 0}}}, "agents": {"queues": {"linux": {}}}}
    header = {buildkite.POLL_HEADER: value}
    async with HttpPool(httpx.MockTransport(lambda _: httpx.Response(200, json=body, headers=header))) as wire:
        raw = {"kind": "buildkite", "url": URL, "token_env": "T"}
        source = buildkite.build("b", "place", raw, {"linux": {}}, parts_with(wire, {"T": "token"}))
        assert (await source.snapshot("linux")).queued == 0


@pytest.mark.parametrize("status", [200, 302, 400, 404])
@pytest.mark.parametrize("content", [b"", b"<html>who are you?", b"<?xml version='1.0'?><a>", b"\x00\xff"])
async def test_an_answer_that_is_not_amazons_is_said_in_words(status: int, content: bytes, made_up_aws: None) -> None:
    """A proxy's page in the place of XML; a change is then in doubt."""
    async with answering_with(content, status) as url:
        size = {"AutoScalingGroupName": "ci", "DesiredCapacity": 2}
        why = await refusal(patient_aws(url).tell("Scaler", "autoscaling", "set_desired_capacity", size))
    if why is not None:
        assert why.failure is Failure.UNKNOWN
        assert str(why).isprintable()
