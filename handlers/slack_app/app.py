"""Handles everything that Slack delivers: builds a request, calls the action, sends its answer."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import Any

import structlog
from slack_bolt.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult

from bot.context.context import Context
from bot.context.queries import permalinks
from bot.core.incident.incident import Incident
from bot.core.message import Message
from bot.core.record import Conflict
from bot.core.requests.interaction import Answer, Interaction, Surface, incident_of, request_id
from bot.ports import Failure, Refused, Unreachable
from bot.registry import ACTIONS, DIALOGS, SHORTCUTS, VERBS, greeted, helped
from bot.requests.permission import Repeated, TooOften, check_rate, dispatch, was_delivered
from bot.requests.submit import RecordLost, SeveralIncidents, audit_refusal
from bot.views.answers import accepted, incident_choice, refusal
from bot.views.dialogs.modals import in_dialog
from bot.views.simpler import PLAIN_FEEDBACK
from bot.views.thread.results import CAUSE_FIT
from bot.views.words import refusals
from handlers.http import metrics
from handlers.slack_app.interactions import (
    ANY_ID,
    from_action,
    from_command,
    from_direct,
    from_mention,
    from_shortcut,
    from_view,
    from_workflow,
    opened_by,
)
from handlers.slack_app.respond import Afterwards, tell, tell_workflow

PATIENCE_SECONDS = 1.8
"""Slack waits 3 s; an answer that asks to try again must arrive in time."""
ASK_TRIES = 3
LINK_SECONDS = 0.5

GUESSABLE = tuple(word for word, action in VERBS.items() if not action.acts)
"""The verbs that a typing mistake may mean: a verb that acts is never guessed."""
HELP = {Surface.COMMAND: "/queue help", Surface.MENTION: "@tailback help"}
"""How help is asked for where somebody typed."""
COURTESIES = frozenset({"thanks", "thank", "thx", "cheers"})
"""Words that want no answer."""

Ack = Callable[..., Awaitable[Any]]
Body = dict[str, Any]
Handler = Callable[[Ack, Body], Awaitable[None]]
Reading = Callable[[Body], Interaction | None]
Answering = Callable[[Context, Interaction], Awaitable[Answer]]

log = structlog.get_logger()


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
        outcome, answer = (
            "answered",
            Answer(
                whisper=incident_choice(several.offers, interaction.name, label, elsewhere=interaction.conversation)
            ),
        )
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
    """The action's answer, asked again when a worker changed a record meanwhile. Raises Conflict.

    A repeated delivery of a stored request is not refused (Repeated).
    """
    try:
        await check_rate(context, interaction)
        for _ in range(ASK_TRIES - 1):
            with contextlib.suppress(Conflict):
                return await dispatch(context, interaction)
        return await dispatch(context, interaction)
    except Refused:
        if await was_delivered(context, interaction):
            raise Repeated(refusals.CAME_AGAIN) from None
        raise


async def _kept(context: Context, interaction: Interaction, why: str) -> None:
    try:
        await audit_refusal(context, interaction, why)
    except (Unreachable, Conflict) as error:
        log.warning("refusal not audited", action=interaction.name, why=str(error))


async def _spoken(context: Context, interaction: Interaction) -> Answer:
    if interaction.edited:  # carried out before, or never read: the person decides
        return Answer(whisper=refusal(refusals.EDITED))
    if not interaction.name:
        return greeted()
    if interaction.name in {"help", "more"}:
        return helped()
    if interaction.name not in VERBS:
        help_ = "help" if interaction.direct else HELP[interaction.surface]
        if interaction.name in COURTESIES and interaction.surface is Surface.MENTION:
            return Answer()
        return Answer(whisper=refusal(refusals.unknown_command(interaction.name, help_, GUESSABLE)))
    return await answered(context, replace(interaction, name=VERBS[interaction.name].name))


async def _chosen(context: Context, interaction: Interaction) -> Answer:
    """The answer of an overflow menu's entry, whose id names the action."""
    try:
        held = await context.store.get(Incident, incident_of(interaction.request_id))
        names = [name for name in ACTIONS if held and request_id(held.value, name) == interaction.request_id]
        known = await context.request(interaction.request_id) if not names else None
    except Unreachable as error:
        return unanswered(interaction, error)
    return await answered(context, replace(interaction, name=names[0] if names else known.name if known else "ack"))


async def _unknown(_: Context, __: Interaction) -> Answer:
    """A button of another release: Slack shows a person an error unless it is answered."""
    return Answer(whisper=refusal(refusals.EMPTY_BUTTON))


def unanswered(interaction: Interaction, error: Exception) -> Answer:
    """The reply: certain if nothing was stored, else the outcome is unknown and a second try is harmless."""
    log.warning("not answered", action=interaction.name, why=str(error) or "it took too long")
    why = str(error) or "it took too long"
    if isinstance(error, Unreachable) and error.failure in {Failure.UNCONNECTED, Failure.UNKNOWN}:
        why = f"{error.system} cannot be reached"  # its address and codes are for operators
    action = ACTIONS.get(interaction.name)  # None: the menu before its entry is known
    button = interaction.surface is Surface.BUTTON
    again, what = ("Press again", "dialog") if button else ("Ask again", "question")
    if action is not None and action.stored_by_dialog:
        only_asks = interaction.surface is not Surface.DIALOG
    else:
        only_asks = button and action is not None and bool(action.dialogs)
    if not (isinstance(error, TimeoutError) or (isinstance(error, Unreachable) and error.failure is Failure.UNKNOWN)):
        words = f"Nothing was changed. Your request was not recorded ({why}). Try again in a moment."
    elif only_asks:
        words = f"Nothing was changed. The {what} did not open ({why}). {again}."
    elif action is None or action.reads_only:
        words = f"Nothing was changed. There was no answer ({why}). {again}."
    else:
        words = f"It is unknown whether your request was recorded ({why}). If nothing shows, ask again."
    return Answer(whisper=refusal(words))


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
    _bind(app, context, afterwards)
    return app


def _bind(app: AsyncApp, context: Context, afterwards: Afterwards) -> None:
    """Bind Slack's ids to handlers, one line for each kind of payload."""

    def pressed(name: str, answering: Answering = answered) -> Handler:
        return _handler(context, afterwards, partial(from_action, name=name), answering)

    for name, action in ACTIONS.items():
        if Surface.BUTTON in action.surfaces:
            app.action(name)(pressed(name))
    for plain in PLAIN_FEEDBACK:
        app.action(f"{CAUSE_FIT}:{plain}")(pressed(CAUSE_FIT))
    app.action("more")(pressed("more", _chosen))
    for callback, name in DIALOGS.items():
        app.view(callback)(_submitted(context, partial(from_view, name=name, callback=callback)))
    app.command("/queue")(_commanded(context, afterwards))
    app.event("app_mention")(_mentioned(context, afterwards))
    app.event("message")(_handler(context, afterwards, from_direct, _spoken))
    app.event("app_home_opened")(_home_opened(context, afterwards))
    for callback, name in SHORTCUTS.items():
        app.shortcut(callback)(_handler(context, afterwards, partial(from_shortcut, name=name), answered))
    app.event(ANY_ID)(_heard)  # Bolt would log a suggestion for each of them
    app.action(ANY_ID)(pressed("unknown", _unknown))  # last: what no handler above takes
    app.view(ANY_ID)(_unknown_dialog)


def _handler(context: Context, afterwards: Afterwards, read: Reading, answering: Answering) -> Handler:
    """Answer Slack once the request is stored; its person hears afterwards."""

    async def handle(ack: Ack, body: Body) -> None:
        if (interaction := read(body)) is not None:
            afterwards.do(tell(context, interaction, await answering(context, interaction)))
        await ack()

    return handle


def _mentioned(context: Context, afterwards: Afterwards) -> Handler:
    """A person's mention is a request; a workflow's has nobody whose permission could be checked."""
    by_person = _handler(context, afterwards, from_mention, _spoken)

    async def mentioned(ack: Ack, body: Body) -> None:
        if place := from_workflow(body):
            afterwards.do(tell_workflow(context, *place))
            await ack()
        else:
            await by_person(ack, body)

    return mentioned


def _submitted(context: Context, read: Callable[[Body], Interaction]) -> Handler:
    """The answer to a dialog is the response to Slack."""

    async def submitted(ack: Ack, body: Body) -> None:
        answer = await answered(context, read(body))
        view = in_dialog(answer.whisper) if answer.view is None and answer.whisper is not None else answer.view
        if answer.errors:
            await ack(response_action="errors", errors=dict(answer.errors))
        elif view is not None:
            await ack(response_action="update", view=dict(view))
        else:
            await ack(response_action="clear")

    return submitted


async def _heard(ack: Ack) -> None:
    """An event that nothing depends on, such as a message in a channel."""
    await ack()


async def _unknown_dialog(ack: Ack) -> None:
    await ack(response_action="update", view=dict(in_dialog(refusal(refusals.OTHER_RELEASES_DIALOG))))


async def _accepted(context: Context, interaction: Interaction, answer: Answer) -> Message:
    """Where the answer follows, with its link if Slack tells it in time."""
    action, thread = VERBS.get(interaction.name), ""
    with contextlib.suppress(Unreachable, TimeoutError):
        async with asyncio.timeout(LINK_SECONDS):
            held = await context.store.get(Incident, answer.about) if answer.about else None
            thread = (await permalinks(context, [held.value])).get(answer.about, "") if held else ""
    return accepted(thread, measures=action is not None and action.measures)


def _commanded(context: Context, afterwards: Afterwards) -> Handler:
    async def commanded(ack: Ack, body: Body) -> None:
        interaction = from_command(body)
        answer = await _spoken(context, interaction)
        if answer.view is not None:
            afterwards.do(tell(context, interaction, answer))
            await ack()
        else:
            reply = answer.whisper or await _accepted(context, interaction, answer)
            await ack(text=reply.text, blocks=[dict(b) for b in reply.blocks], response_type="ephemeral")

    return commanded


def _home_opened(context: Context, afterwards: Afterwards) -> Handler:
    async def home_opened(ack: Ack, body: Body) -> None:
        afterwards.do(afterwards.draw_home(context, opened_by(body)))
        await ack()

    return home_opened
