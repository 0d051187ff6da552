"""Sends a person the dialog or text after Slack got its response, once per request and without delaying it."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Coroutine
from typing import Any

import structlog

from bot.context.context import Context
from bot.core.message import Message
from bot.core.notifications.tell import REPLY_URL_SECONDS, PlainAnswer, Tell, Way, tell_id
from bot.core.record import AlreadyDone, Change, Conflict
from bot.core.requests.interaction import Answer, Interaction, Surface
from bot.incidents.actions.list_incidents import publish_app_home
from bot.notifications.deliver import tell_now
from bot.ports import Unreachable
from bot.requests.orphan_buttons import remove_orphaned_buttons, stranger
from bot.views.answers import plain_answer, refusal
from bot.views.dialogs.modals import in_dialog
from bot.views.words import refusals

WORKFLOW_SECONDS = 3600.0
"""How often a channel is told that a workflow cannot ask: one that runs every minute is no conversation."""
CALL_SECONDS = 2.0
"""Time limit of one call; a dialog's trigger lives 3 s."""

log = structlog.get_logger()


class Afterwards:
    """Background tasks of requests; `finished` waits for them at shutdown."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()
        self._drawn_for: dict[str, bool] = {}
        """Whose App Home is being drawn, and whether it has to be drawn once more."""

    async def draw_home(self, context: Context, who: str) -> None:
        """Draw a person's App Home, one drawing at a time; those asked for meanwhile share the next one."""
        if who in self._drawn_for:
            self._drawn_for[who] = True
            return
        try:
            more = True
            while more:
                self._drawn_for[who] = False
                await draw_home(context, who)
                more = self._drawn_for[who]
        finally:
            del self._drawn_for[who]

    def do(self, work: Coroutine[Any, Any, None]) -> None:
        """Start a task; its exceptions are logged."""
        task = asyncio.create_task(work, name="afterwards")
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    async def finished(self, within_seconds: float = 2.0) -> None:
        """Wait for all tasks, up to a time limit."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=within_seconds)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("not done after the answer", why=repr(error), exc_info=error)


async def tell(context: Context, interaction: Interaction, answer: Answer) -> None:
    """Open the dialog, send the private text, remove dead buttons; do nothing if there is nothing to send.

    App Home has no channel to whisper in: words become a dialog, and the page is drawn again.
    """
    view, message, home = answer.view, answer.whisper, interaction.home
    if (view is None and message is None and not home) or not await _first(context, interaction):
        return
    if home and view is None and message is not None:
        view = in_dialog(message)
    if view is not None:
        try:
            async with asyncio.timeout(CALL_SECONDS):
                await context.chat.open_view(interaction.trigger, view)
        except (Unreachable, TimeoutError) as error:
            why = error.what if isinstance(error, Unreachable) else "no answer in time"
            message = refusal(f"Slack did not open the dialog ({why}). Press again.")
    if home:
        await draw_home(context, interaction.who)
        return
    whose = await _whose(context, interaction) if answer.record_lost else None
    if whose:
        message = refusal(refusals.other_installation(whose))
    if message is not None:
        async with _in_time("answer not delivered", action=interaction.name):
            await tell_now(context, _private(context, interaction, message), message)
    if whose == "":
        async with _in_time("buttons not removed"):
            await remove_orphaned_buttons(context, interaction)


async def _whose(context: Context, interaction: Interaction) -> str | None:
    """The other installation whose message this is; empty if it is ours, None if Slack does not tell."""
    async with _in_time("message without a record left as it is"):
        return await stranger(context, interaction)
    return None


async def tell_workflow(context: Context, channel: str, thread: str) -> None:
    """Say in its thread that a workflow's mention is not carried out; once an hour in a channel, calling nobody."""
    async with _in_time("workflow not answered"):
        wait = await context.store.acquire_slot(f"workflow:{channel}", "ask", WORKFLOW_SECONDS, 1, urgent=True)
        if wait <= 0:
            key = f"workflow/{thread}"
            await context.chat.post(channel, plain_answer(refusals.WORKFLOW), key=key, thread=thread)


def _private(context: Context, interaction: Interaction, message: Message) -> Tell:
    once = f"answer:{interaction.key}"
    return Tell(
        tell_id(interaction.who, once),
        interaction.who,
        PlainAnswer(message.text),
        once=once,
        way=Way.DIRECT if interaction.direct else Way.PRIVATE,
        channel=interaction.channel,
        thread=interaction.thread if interaction.surface is not Surface.COMMAND else None,
        reply_url=interaction.reply_url,
        reply_until=context.now() + REPLY_URL_SECONDS,
    )


async def draw_home(context: Context, who: str) -> None:
    """Draw a person's App Home; a failure is only logged."""
    async with _in_time("home not drawn"):
        await publish_app_home(context, who)


async def _first(context: Context, interaction: Interaction) -> bool:
    """Whether no other process has answered this request; in doubt both answer."""
    if not interaction.key:
        return True
    try:
        async with asyncio.timeout(CALL_SECONDS):
            await context.store.commit(Change(once=(f"told:{interaction.key}",)))
    except AlreadyDone:
        return False
    except (Unreachable, Conflict, TimeoutError) as error:
        log.warning("answered without a mark", action=interaction.name, why=str(error) or "time-out")
    return True


@contextlib.asynccontextmanager
async def _in_time(failure: str, **facts: str) -> AsyncIterator[None]:
    """Give the calls inside CALL_SECONDS; what Slack refuses or answers late is only logged."""
    try:
        async with asyncio.timeout(CALL_SECONDS):
            yield
    except (Unreachable, TimeoutError) as error:
        log.warning(failure, **facts, why=str(error) or "time-out")
