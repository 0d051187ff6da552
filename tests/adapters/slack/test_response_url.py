"""Answers by `response_url`: to Slack's own addresses only, for as long as Slack takes them, and never told of."""

from collections.abc import Callable

import pytest

from bot.adapters.slack.client import of_slack
from bot.playground.slack.delivery.tickets import ResponseUrl
from bot.playground.slack.faults import Faults
from bot.ports import Failure, Message, Unreachable
from tests.adapters.slack.chatting import chatting
from tests.playground.slack_kit import CI, Kit, standing

ANSWER = Message("14 jobs wait.", ({"type": "section", "text": {"type": "mrkdwn", "text": "14 jobs"}},))


def address(kit: Kit) -> str:
    key = kit.stand_in.api.slack.tickets.response_url(ResponseUrl(CI, "U0ANA"))
    return f"{kit.url}/response/{key}"


async def refused(kit: Kit, url: str, message: Message = ANSWER) -> Unreachable:
    async with chatting(kit.url) as chat:
        with pytest.raises(Unreachable) as caught:
            await chat.respond(url, message)
    assert url not in str(caught.value)
    return caught.value


async def test_the_person_reads_it_alone_though_we_are_in_no_channel() -> None:
    async with standing() as kit:
        async with chatting(kit.url) as chat:
            await chat.respond(address(kit), ANSWER)
        assert (await kit.driver.ephemeral("U0ANA", "14 jobs wait")).text
        assert [call.method for call in kit.stand_in.log.calls] == ["response_url"]


async def test_five_answers_and_then_another_way() -> None:
    async with standing() as kit:
        url = address(kit)
        async with chatting(kit.url) as chat:
            for _ in range(5):
                await chat.respond(url, ANSWER)
        assert (await refused(kit, url)).failure is Failure.GONE


async def test_refused_blocks_are_known_as_such() -> None:
    async with standing() as kit:
        problem = await refused(kit, address(kit), Message("words", ({"type": "nonsense"},)))
        assert (problem.failure, problem.code) == (Failure.SHAPE, "invalid_blocks")


FAULTS: dict[str, tuple[Callable[[Faults], object], Failure]] = {
    "limit": (lambda faults: faults.rate_limit("response_url"), Failure.LATER),
    "down": (lambda faults: faults.status("response_url", 503), Failure.UNKNOWN),
    "silent": (lambda faults: faults.drop_reply("response_url"), Failure.UNKNOWN),
    "expired": (lambda faults: faults.status("response_url", 404, b"Expired url"), Failure.GONE),
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_each_fault_is_classified(fault: str) -> None:
    async with standing() as kit:
        FAULTS[fault][0](kit.stand_in.faults)
        assert (await refused(kit, address(kit))).failure is FAULTS[fault][1]


@pytest.mark.parametrize(
    ("url", "theirs"),
    [
        ("https://hooks.slack.com/commands/T0/1/x", True),
        ("https://hooks.slack-gov.com/commands/T0/1/x", True),
        ("https://hooks.slack.com:443/x", True),
        ("http://hooks.slack.com/x", False),
        ("https://hooks.slack.com:8443/x", False),
        ("https://slack.com.example.com/x", False),
        ("https://notslack.com/x", False),
        ("https://hooks.slack.com@example.com/x", False),
        ("https://user@hooks.slack.com/x", False),
        ("http://169.254.169.254/latest", False),
        ("http://127.0.0.1:8080/response/x", True),
        ("http://127.0.0.1:8081/response/x", False),
        ("https://[broken/x", False),
        ("", False),
    ],
)
async def test_nothing_is_sent_elsewhere(url: str, theirs: bool) -> None:
    """It comes from a signed request, and is sent to nobody but Slack all the same (C6)."""
    assert of_slack(url, "http://127.0.0.1:8080/api/") is theirs
    if not theirs:
        async with standing() as kit:
            assert (await refused(kit, url or "-")).failure is Failure.GONE
            assert kit.stand_in.log.calls == []
