"""Uploads to Slack: three requests, the bytes only where Slack takes files, and a class for every failure."""

from collections.abc import AsyncIterator, Callable

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from bot.adapters.slack.chat import SlackChat
from bot.adapters.slack.client import open_client, open_session
from bot.adapters.slack.files import _trusted
from bot.playground.serving import serving
from bot.ports import Failure, Unreachable
from tests.playground.slack_kit import Kit, standing

PNG = b"\x89PNG\r\n\x1a\n and so on"
STEPS = ["files.getUploadURLExternal", "upload", "files.completeUploadExternal"]


@pytest.fixture
async def kit() -> AsyncIterator[Kit]:
    """A served stand-in for Slack."""
    async with standing() as found:
        yield found


async def sent(url: str) -> str:
    """One upload by a client of its own."""
    chat = SlackChat(open_client("xoxb-demo", f"{url}/api/", open_session()), lambda: 0.0)
    try:
        return await chat.upload("queue.png", "Queue of linux.2xlarge", PNG)
    finally:
        await chat.close()


async def problem(url: str) -> Unreachable:
    """The Unreachable of an upload, which names no token."""
    with pytest.raises(Unreachable) as caught:
        await sent(url)
    assert "xoxb" not in str(caught.value)
    return caught.value


async def test_a_file_goes_up_in_three_steps_and_stands_in_no_channel(kit: Kit) -> None:
    """Its bytes arrive as they are, its title is kept, and nobody sees it yet."""
    file = await sent(kit.url)
    upload = kit.stand_in.workspace.uploads[file]
    assert (upload.content, upload.shared, upload.name) == (PNG, True, "queue.png")
    assert [call.method for call in kit.stand_in.log.calls] == STEPS
    assert all(not channel.messages for channel in kit.stand_in.workspace.channels.values())


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize(
    ("break_it", "failure"),
    [
        (lambda faults, step: faults.drop_reply(step), Failure.UNKNOWN),
        (lambda faults, step: faults.refuse(step), Failure.UNKNOWN),
        (lambda faults, step: faults.status(step, 503), Failure.UNKNOWN),
        (lambda faults, step: faults.rate_limit(step, "7"), Failure.LATER),
    ],
)
async def test_each_step_can_fail_and_is_not_repeated(
    kit: Kit, step: str, break_it: Callable[..., object], failure: Failure
) -> None:
    """Whether to try again is the sketch's business; what is left behind is seen by nobody."""
    break_it(kit.stand_in.faults, step)
    assert (await problem(kit.url)).failure is failure
    methods = [call.method for call in kit.stand_in.log.calls]
    assert methods == STEPS[: STEPS.index(step) + 1]


async def test_without_the_scope_it_says_which_one(kit: Kit) -> None:
    """The remedy stands in the sentence, and nothing is sent."""
    kit.stand_in.settings.scopes -= {"files:write"}
    error = await problem(kit.url)
    assert error.failure is Failure.CREDENTIALS
    assert "files:write; add it and install the app again" in str(error)
    assert len(kit.stand_in.log.calls) == 1


async def test_bytes_that_slack_refuses_are_a_refused_shape(kit: Kit) -> None:
    """A clean 4xx is not tried again."""
    kit.stand_in.faults.garbage("upload", b"no", 400)
    assert (await problem(kit.url)).failure is Failure.SHAPE


@pytest.mark.parametrize(
    ("address", "trusted"),
    [
        ("https://files.slack.com/upload/v1/abc", True),
        ("https://files.slack-gov.com/upload/v1/abc", True),
        ("http://files.slack.com/upload/v1/abc", False),
        ("https://files.slack.com.evil.example/upload", False),
        ("https://evilslack.com/upload", False),
        ("http://169.254.169.254/latest/meta-data", False),
        ("https://slack.example/upload/1", True),
        ("http://slack.example/upload/1", False),
        ("", False),
    ],
)
def test_bytes_go_to_slack_and_to_nobody_else(address: str, trusted: bool) -> None:
    """An answer cannot point us anywhere (C6)."""
    assert _trusted(address, "https://slack.example/api/") is trusted


@pytest.mark.parametrize("answer", [{"ok": True}, {"ok": True, "file_id": "F1", "upload_url": "https://evil.example/"}])
async def test_an_answer_without_a_usable_address_ends_it(answer: dict[str, object]) -> None:
    """Nothing is sent anywhere."""
    seen: list[str] = []

    async def endpoint(request: Request) -> Response:
        seen.append(request.url.path)
        return JSONResponse(answer)

    app = Starlette(routes=[Route("/{path:path}", endpoint, methods=["GET", "POST"])])
    async with serving(app) as url:
        error = await problem(url)
    assert (error.failure, seen) == (Failure.SHAPE, ["/api/files.getUploadURLExternal"])
