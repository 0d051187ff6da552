"""A request without an answer: what cannot have been recorded is said to be not done, the rest to be unknown."""

import asyncio

import pytest

from bot.core.requests.interaction import Interaction, Surface, request_id
from bot.core.requests.request import Shown
from bot.ports import Failure, Unreachable
from bot.registry import ACTIONS
from handlers.slack_app import app
from handlers.slack_app.app import unanswered
from tests.builders import CHANNEL
from tests.handlers.endpoint import Endpoint
from tests.patience import PATIENCE_SECONDS
from tests.world import ANA, TEAM, whisper

LOST = Unreachable("Redis", "no answer", failure=Failure.UNKNOWN)
UNKNOWN = "It is unknown whether your request was recorded"


def asked(name: str, surface: Surface = Surface.BUTTON, step: str = "", error: Exception | None = None) -> str:
    """What the person reads."""
    interaction = Interaction(name, ANA, TEAM, CHANNEL, surface, "k1", step=step)
    return whisper(unanswered(interaction, error or TimeoutError())).text


@pytest.mark.parametrize(
    ("name", "surface", "step", "said"),
    [
        ("silence", Surface.BUTTON, "", "The dialog did not open (it took too long). Press again."),
        ("scale_up", Surface.BUTTON, "", "The dialog did not open"),
        ("resolve", Surface.BUTTON, "", "The dialog did not open"),
        ("scale_up", Surface.DIALOG, "scale_up", "The question did not open"),
        ("scale_up", Surface.COMMAND, "", "The question did not open"),
        ("scale_up", Surface.DIALOG, "scale_up_confirm", UNKNOWN),
        ("silence", Surface.DIALOG, "silence", UNKNOWN),
        ("silence", Surface.COMMAND, "", UNKNOWN),
        ("resolve", Surface.DIALOG, "resolve", UNKNOWN),
        ("ack", Surface.BUTTON, "", UNKNOWN),
        ("list", Surface.COMMAND, "", "Nothing was changed. There was no answer (it took too long). Ask again."),
        ("more", Surface.BUTTON, "", "(it took too long). Press again."),
    ],
)
def test_only_what_may_have_been_recorded_is_called_unknown(name: str, surface: Surface, step: str, said: str) -> None:
    """A press that opens a dialog, a target without its confirmation and a look record nothing."""
    assert said in asked(name, surface, step)


def test_a_store_that_refused_the_connection_took_nothing_down() -> None:
    refused = Unreachable("Redis", "connection refused")
    assert "Your request was not recorded (Redis: connection refused)" in asked("ack", error=refused)


def written(endpoint: Endpoint) -> tuple[object, ...]:
    """The records but what a dialog showed, when each is due, and the trail."""
    data = endpoint.world.data
    asked = {key: row for key, row in data.rows.items() if not isinstance(row.value, Shown)}
    return asked, dict(data.due), len(data.trail)


@pytest.mark.parametrize("name", [name for name, action in ACTIONS.items() if action.dialogs])
async def test_a_press_that_opens_a_dialog_writes_nothing(name: str) -> None:
    """What the words rest on: the store is only read, and when it is lost the person hears that nothing was done."""
    issues = {"repository": "example/ci", "token_env": "TOKEN"}
    async with Endpoint(issues=issues) as endpoint:
        value = request_id(await endpoint.world.opens(), name)
        before = written(endpoint)
        press = endpoint.choose(value) if name == "resolve" else endpoint.press(name, value)
        assert (await press).status_code == 200
        assert written(endpoint) == before
        endpoint.world.data.broken = LOST
        await endpoint.press(name, value)
        told = endpoint.world.chat.whispers[-1][2].text
        assert "The dialog did not open (Redis: no answer). Press again." in told


@pytest.mark.parametrize("name", [name for name, action in ACTIONS.items() if action.reads_only])
async def test_a_look_writes_nothing(name: str) -> None:
    """What the words rest on."""
    async with Endpoint() as endpoint:
        await endpoint.world.opens()
        before = written(endpoint)
        assert "Nothing was changed" not in (await endpoint.slash(name)).json()["text"]
        assert written(endpoint) == before


async def test_a_silence_button_that_takes_too_long_can_be_pressed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same button, a moment later, opens its dialog."""
    async with Endpoint() as endpoint:
        value = request_id(await endpoint.world.opens(), "silence")

        async def hangs(*_: object) -> None:
            await asyncio.Event().wait()

        with monkeypatch.context() as slow:
            slow.setattr(app, "PATIENCE_SECONDS", 0.01)
            slow.setattr(endpoint.store, "get", hangs)
            async with asyncio.timeout(PATIENCE_SECONDS):
                await endpoint.press("silence", value)
        assert "Press again" in endpoint.world.chat.whispers[-1][2].text
        await endpoint.press("silence", value)
        assert [view["callback_id"] for _, view in endpoint.world.chat.views] == ["silence"]
