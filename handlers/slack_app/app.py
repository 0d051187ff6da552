"""Handles everything that Slack delivers: builds a request, calls the action, sends its answer."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any

import structlog
from slack_bolt.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult

from bot.context.context import Action, Context
from bot.core.incident.incident import Incident
from bot.core.record import Conflict
from bot.core.requests.interaction import Answer, Interaction, Surface
from bot.core.requests.offer import incident_of, request_id
from bot.ports import Failure, Refused, Unreachable
from bot.registry import ACTIONS, DIALOGS, SHORTCUTS, VERBS, helped
from bot.requests.permission import Repeated, TooOften, ask, on_record, paced
from bot.requests.submit import RecordLost, SeveralIncidents, refused
from bot.views.dialogs.modals import in_dialog
from bot.views.home.answers import RECORDED, incident_choice, refusal
from bot.views.simpler import PLAIN_FEEDBACK
from bot.views.thread.results import CAUSE_FIT
from bot.views.words import refusals
from handlers.http import metrics
from handlers.slack_app.interactions import (
    ANY_ID,
    from_action,
    from_command,
    from_mention,
    from_shortcut,
    from_view,
    opened_by,
)
from handlers.slack_app.respond import Afterwards, draw_home, tell

PATIENCE_SECONDS = 1.8
"""Slack waits 3 s; an answer that asks to try again must arrive in time."""
ASK_TRIES = 3

Ack = Callable[..., Awaitable[Any]]
Body = dict[str, Any]

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Dependencies:
    """Shared by all handlers; Slack gets its response once the request is stored."""

    context: Context
    afterwards: Afterwards


def slack_app(context: Context, afterwards: Afterwards) -> AsyncApp:
    """The Bolt app with all handlers; requests are verified earlier, and authorisation makes no call."""
    token = context.settings.env.slack_bot_token.get_secret_value()

    async def authorised(**_: object) -> AuthorizeResult:
        return AuthorizeResult(enterprise_id=None, team_id=None, bot_token=token)

    app = AsyncApp(
        name="tailback",  # without one, Bolt reads the source of whoever calls
        authorize=authorised,
        signing_secret=context.settings.env.slack_signing_secret.get_secret_value() or "verified-before",
        process_before_response=True,
        request_verification_enabled=False,
    )
    register(app, Dependencies(context, afterwards))
    return app


def register(app: AsyncApp, dependencies: Dependencies) -> None:
    """Bind Slack's ids to handlers, one line for each kind of payload."""
    for name, action in ACTIONS.items():
        if Surface.BUTTON in action.surfaces:
            app.action(name)(_pressed(dependencies, name))
    for plain in PLAIN_FEEDBACK:
        app.action(f"{CAUSE_FIT}:{plain}")(_pressed(dependencies, CAUSE_FIT))
    app.action("more")(_chosen(dependencies))
    for callback, name in DIALOGS.items():
        app.view(callback)(_submitted(dependencies, callback, name))
    app.command("/queue")(_commanded(dependencies))
    app.event("app_mention")(_mentioned(dependencies))
    app.event("app_home_opened")(_home_opened(dependencies))
    for callback, name in SHORTCUTS.items():
        app.shortcut(callback)(_shortcut(dependencies, name))
    app.action(ANY_ID)(_unknown(dependencies))  # last: what no handler above takes


def _unknown(dependencies: Dependencies) -> Callable[..., Awaitable[None]]:
    """A button of another release: Slack shows a person an error unless it is answered."""

    async def unknown(ack: Ack, body: Body) -> None:
        answer = Answer(whisper=refusal(refusals.EMPTY_BUTTON))
        dependencies.afterwards.do(tell(dependencies.context, from_action(body, "unknown"), answer))
        await ack()

    return unknown


def _pressed(dependencies: Dependencies, name: str) -> Callable[..., Awaitable[None]]:
    async def pressed(ack: Ack, body: Body) -> None:
        await _aside(dependencies, from_action(body, name), ack)

    return pressed


def _chosen(dependencies: Dependencies) -> Callable[..., Awaitable[None]]:
    async def chosen(ack: Ack, body: Body) -> None:
        interaction = from_action(body, "more")
        try:
            interaction = await _named(dependencies.context, interaction)
        except Unreachable as error:
            dependencies.afterwards.do(tell(dependencies.context, interaction, unanswered(interaction, error)))
            await ack()
            return
        await _aside(dependencies, interaction, ack)

    return chosen


def _submitted(dependencies: Dependencies, callback: str, name: str) -> Callable[..., Awaitable[None]]:
    async def submitted(ack: Ack, body: Body) -> None:
        answer = await answered(dependencies.context, from_view(body, name, callback))
        if answer.errors:
            await ack(response_action="errors", errors=dict(answer.errors))
        elif answer.view is not None:
            await ack(response_action="update", view=dict(answer.view))
        elif answer.whisper is not None:
            await ack(response_action="update", view=dict(in_dialog(answer.whisper)))
        else:
            await ack(response_action="clear")

    return submitted


def _commanded(dependencies: Dependencies) -> Callable[..., Awaitable[None]]:
    async def commanded(ack: Ack, body: Body) -> None:
        interaction = from_command(body)
        answer = await _spoken(dependencies.context, interaction)
        if answer.view is not None:
            dependencies.afterwards.do(tell(dependencies.context, interaction, answer))
            await ack()
        else:
            said = answer.whisper or RECORDED
            await ack(text=said.text, blocks=[dict(b) for b in said.blocks], response_type="ephemeral")

    return commanded


def _mentioned(dependencies: Dependencies) -> Callable[..., Awaitable[None]]:
    async def mentioned(ack: Ack, body: Body) -> None:
        interaction = from_mention(body)
        if interaction is not None:
            answer = await _spoken(dependencies.context, interaction)
            dependencies.afterwards.do(tell(dependencies.context, interaction, answer))
        await ack()

    return mentioned


def _shortcut(dependencies: Dependencies, name: str) -> Callable[..., Awaitable[None]]:
    async def shortcut(ack: Ack, body: Body) -> None:
        await _aside(dependencies, from_shortcut(body, name), ack)

    return shortcut


def _home_opened(dependencies: Dependencies) -> Callable[..., Awaitable[None]]:
    async def home_opened(ack: Ack, body: Body) -> None:
        dependencies.afterwards.do(draw_home(dependencies.context, opened_by(body)))
        await ack()

    return home_opened


async def answered(context: Context, interaction: Interaction) -> Answer:
    """Call the action within the time limit; every failure becomes a message for the person."""
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            answer = await _judged(context, interaction)
        outcome = "answered"
    except Repeated as again:
        outcome, answer = "repeated", Answer()
        await _kept(context, interaction, str(again))
    except TooOften as often:
        outcome, answer = "too often", Answer(whisper=refusal(str(often)))
    except SeveralIncidents as several:
        label = ACTIONS[interaction.name].verb.capitalize()
        outcome, answer = "answered", Answer(whisper=incident_choice(several.offers, interaction.name, label))
    except Refused as refusing:
        words = refusal(str(refusing), refusing.who, refusing.may, refusing.where)
        outcome, answer = "refused", Answer(whisper=words, record_lost=isinstance(refusing, RecordLost))
        await _kept(context, interaction, str(refusing))
    except (Unreachable, Conflict, TimeoutError) as error:
        outcome, answer = "failed", unanswered(interaction, error)
    metrics.REQUESTS.labels(interaction.name, outcome).inc()
    log.info("asked", action=interaction.name, who=interaction.who, surface=interaction.surface, outcome=outcome)
    return answer


async def _judged(context: Context, interaction: Interaction) -> Answer:
    """The action's answer; a repeated delivery of a stored request is not refused (Repeated)."""
    try:
        await paced(context, interaction)
        return await _asked(context, interaction)
    except Refused:
        if await on_record(context, interaction):
            raise Repeated(refusals.CAME_AGAIN) from None
        raise


async def _asked(context: Context, interaction: Interaction) -> Answer:
    """Call the action, and again when a worker changed a record meanwhile. Raises Conflict."""
    for _ in range(ASK_TRIES - 1):
        with contextlib.suppress(Conflict):
            return await ask(context, interaction)
    return await ask(context, interaction)


async def _kept(context: Context, interaction: Interaction, why: str) -> None:
    try:
        await refused(context, interaction, why)
    except (Unreachable, Conflict) as error:
        log.warning("refusal not audited", action=interaction.name, why=str(error))


async def _spoken(context: Context, interaction: Interaction) -> Answer:
    if interaction.name in {"", "help"}:
        return helped()
    if interaction.name not in VERBS:
        help_ = "/queue help" if interaction.surface is Surface.COMMAND else "@tailback help"
        words = f'Unknown command "{interaction.name[:40]}". Try `{help_}`.'
        return Answer(whisper=refusal(words))
    return await answered(context, replace(interaction, name=VERBS[interaction.name].name))


async def _named(context: Context, interaction: Interaction) -> Interaction:
    """Find the action of the chosen overflow menu entry by its id."""
    held = await context.store.get(Incident, incident_of(interaction.request_id))
    names = [name for name in ACTIONS if held and request_id(held.value, name) == interaction.request_id]
    known = await context.request(interaction.request_id) if not names else None
    return replace(interaction, name=names[0] if names else known.name if known else "ack")


async def _aside(dependencies: Dependencies, interaction: Interaction, ack: Ack) -> None:
    answer = await answered(dependencies.context, interaction)
    dependencies.afterwards.do(tell(dependencies.context, interaction, answer))
    await ack()


def unanswered(interaction: Interaction, error: Exception) -> Answer:
    """The reply: certain if nothing was stored, else the outcome is unknown and a second try is harmless."""
    why = str(error) or "it took too long"
    doubtful = isinstance(error, TimeoutError) or (isinstance(error, Unreachable) and error.failure is Failure.UNKNOWN)
    if not doubtful:
        return Answer(
            whisper=refusal(f"Nothing was changed. Your request was not recorded ({why}). Try again in a moment.")
        )
    action = ACTIONS.get(interaction.name)  # None: the menu before its entry is known
    again = "Press again" if interaction.surface is Surface.BUTTON else "Ask again"
    if action is not None and _only_asks(action, interaction):
        what = "dialog" if interaction.surface is Surface.BUTTON else "question"
        return Answer(whisper=refusal(f"Nothing was changed. The {what} did not open ({why}). {again}."))
    if action is None or action.reads_only:
        return Answer(whisper=refusal(f"Nothing was changed. There was no answer ({why}). {again}."))
    return Answer(
        whisper=refusal(f"It is unknown whether your request was recorded ({why}). If nothing shows, ask again.")
    )


def _only_asks(action: Action, interaction: Interaction) -> bool:
    """Whether the request only opens a dialog or a confirmation."""
    if action.confirmed_in:
        return interaction.step != action.confirmed_in
    return bool(action.dialogs) and interaction.surface is Surface.BUTTON
