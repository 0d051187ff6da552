"""Tell a person what is due: judge it again, then send it by the first way that leads to them."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

import structlog

from bot.context.context import Context
from bot.context.save import point
from bot.core.message import Message
from bot.core.notifications.tell import LeftToTell, Tell, Way
from bot.core.record import Change, Claim, Put, Stored
from bot.notifications.outbox import KEPT_SECONDS, unread_list
from bot.ports import Failure, Unreachable
from bot.posting.failures import TABLE, FailureRule, MessageKind, Reaction
from bot.posting.keep_message import Kept, MessageSpec, keep_message, store_and_release
from bot.posting.ladder import step_by_step

MOST_DOUBTFUL = 3
"""Times that a private message of unknown outcome is sent again; more would be noise to a person who has read it."""
_NO_WAY = FailureRule(Reaction.GIVE_UP, reason="the person reads it in `/queue list`")
KIND = MessageKind("tell", posts=dict.fromkeys((Failure.PLACE, Failure.GONE), _NO_WAY))
DIRECT_LANE, DIRECT_SECONDS = "post:direct", 1.0
"""The rate lane of all direct messages, one a second: a thousand followers leave Slack's limit to the incidents."""
OUTAGE = frozenset({Failure.LATER, Failure.UNCONNECTED, Failure.CREDENTIALS})
"""Failures of Slack as a whole: the same way is tried again."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Attempt:
    """One way to show a message to one person alone."""

    name: str
    send: Callable[[Message], Awaitable[None]]


async def deliver(context: Context, claim: Claim) -> None:
    """Judge and send one notification; what no way can tell waits in `/queue list`."""
    held, now = claim.of(Tell), context.now()
    tell = held.value
    if tell.about is None or tell.ended_at is not None or tell.listed:
        await _stored(context, held, tell, None)
        return
    private = tell.way is Way.PRIVATE
    if (wait_until := max(tell.when, tell.retry_at if private else 0.0)) > now:
        await _stored(context, held, tell, wait_until)
        return
    verdict = await context.tellings[tell.about.kind](context, tell)
    if verdict.message is None and verdict.again_at is not None and held.in_doubt_since is None:
        await _stored(context, held, replace(tell, when=verdict.again_at), verdict.again_at)
    elif private:
        await _told_privately(context, held, verdict)
    else:
        await _posted(context, held, verdict)


async def tell_now(context: Context, tell: Tell, message: Message) -> None:
    """Show a private answer at once; if no way leads there, store it for `/queue list`. Raises Unreachable."""
    problem: Unreachable | None = None
    for attempt in attempts(context, tell):
        try:
            await step_by_step(context, message, attempt.send)
        except Unreachable as error:
            if error.system != "Slack" or error.failure in OUTAGE or error.failure is Failure.UNKNOWN:
                raise
            problem = error
        else:
            return
    log.info("nobody could be told; it waits in the list", why=str(problem))
    held = Stored(replace(tell, listed=True, reply_url="", stored_at=context.now()), 0)
    await _listed(context, held, held.value)


def attempts(context: Context, tell: Tell) -> list[Attempt]:
    """The ways to show something to one person alone, the best first: a `response_url` needs no membership."""

    async def reply(message: Message) -> None:
        await context.chat.respond(tell.reply_url, message, thread=tell.thread)

    async def direct(message: Message) -> None:
        await context.chat.post(tell.channel, message, key=f"tell/{tell.id}", thread=tell.thread)

    async def ephemeral(message: Message) -> None:
        await context.chat.whisper(tell.channel, tell.who, message, thread=tell.thread)

    if tell.way is Way.DIRECT:
        return [Attempt("direct", direct)]
    by_url = tell.reply_url and context.now() < tell.reply_until
    return [*([Attempt("response_url", reply)] if by_url else []),
            *([Attempt("ephemeral", ephemeral)] if tell.channel else [])]  # fmt: skip


async def _told_privately(context: Context, held: Stored[Tell], verdict: LeftToTell) -> None:
    tell, now = held.value, context.now()
    if verdict.message is None:
        await _unsaid(context, held, tell, verdict)
        return
    message = Message(verdict.message.text) if tell.plain else verdict.message
    for attempt in attempts(context, tell):
        try:
            await step_by_step(context, message, attempt.send)
        except Unreachable as error:
            if error.system != "Slack":
                raise
            doubtful = error.failure is Failure.UNKNOWN and tell.failures < MOST_DOUBTFUL
            if error.failure in OUTAGE or doubtful:
                rule, settle = TABLE[error.failure][1], context.settings.file.slack.settle
                pause = rule.seconds(error, tell.failures, settle)
                again = replace(tell, failures=tell.failures + rule.counts, retry_at=now + pause, trouble=str(error))
                await _stored(context, held, again, again.retry_at)
                return
            log.info("another way is tried", way=attempt.name, why=str(error))
        else:
            await _ended(context, held, tell)
            return
    await _listed(context, held, tell)


async def _posted(context: Context, held: Stored[Tell], verdict: LeftToTell) -> None:
    """A direct message or a reply: looked up after a doubt, so that it stands once."""
    tell = held.value
    if tell.way is Way.DIRECT and held.in_doubt_since is None and (wait := await _behind(context, tell)) > 0:
        await _stored(context, held, tell, context.now() + wait)
        return
    channel, thread = verdict.place or (tell.channel, tell.thread)
    if tell.way is Way.DIRECT:
        channel, thread = await context.store.find(f"im:{tell.who}") or tell.who, None
    spec = MessageSpec(KIND, channel, verdict.message, f"tell/{tell.id}", since=tell.stored_at - 60, thread=thread)
    kept: Kept[Tell] = await keep_message(context, held, spec)
    if kept.record.ts is not None:
        if tell.way is Way.DIRECT and kept.channel not in {"", channel}:
            await point(context, [f"im:{tell.who}"], kept.channel)
        await _ended(context, held, kept.record)
    elif verdict.message is None and kept.due is None:
        await _unsaid(context, held, kept.record, verdict)
    elif kept.reaction is Reaction.GIVE_UP or (kept.reaction is Reaction.REST and kept.record.plain):
        await _listed(context, held, kept.record)
    else:
        await store_and_release(context, held, kept, None, KEPT_SECONDS)


async def _behind(context: Context, tell: Tell) -> float:
    """Seconds for which a direct message waits: behind first messages of incidents, then for its turn."""
    crowded = max(context.health.crowded.values(), default=0.0) - context.now()
    if crowded > 0:
        return crowded
    return await context.store.acquire_slot(DIRECT_LANE, tell.id, DIRECT_SECONDS, 1, urgent=False)


async def _unsaid(context: Context, held: Stored[Tell], tell: Tell, verdict: LeftToTell) -> None:
    """Nothing to say now, and nothing was said before."""
    if verdict.again_at is None:
        await _ended(context, held, tell)
    else:
        await _stored(context, held, replace(tell, when=verdict.again_at), verdict.again_at)


async def _ended(context: Context, held: Stored[Tell], tell: Tell) -> None:
    await _stored(context, held, replace(tell, ended_at=context.now(), reply_url=""), None)


async def _listed(context: Context, held: Stored[Tell], tell: Tell) -> None:
    """Nothing leads to the person: `/queue list` shows it to them, which is answered at once."""
    waits = replace(tell, listed=True, reply_url="")
    put = Put(held, waits, None, keep_seconds=KEPT_SECONDS)
    await context.store.commit(Change(puts=(put,), listed=((unread_list(tell.who), tell.id, KEPT_SECONDS),)))


async def _stored(context: Context, held: Stored[Tell], tell: Tell, due: float | None) -> None:
    put = Put(held, tell, due, keep_seconds=KEPT_SECONDS if due is None else None)
    await context.store.commit(Change(puts=(put,)))
