"""Post or edit one Slack message, exactly once: look up a doubtful attempt, take a rate slot, send within the lease.

Whoever calls this holds a claim on the record that the message belongs to. The claim is the intent
(docs/adr/0002-a-claim-is-the-intent.md): a process that dies leaves it in doubt for the next one.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import structlog

from bot.context.context import Context
from bot.context.save import point
from bot.core.message import EDIT_LANE, OPEN, SHUT, Message, post_lane
from bot.core.record import Change, Record, Stored
from bot.ports import Failure, Posted, Unreachable
from bot.posting.failures import CREDENTIALS_SECONDS, PLACE_SECONDS, MessageKind, Reaction
from bot.posting.ladder import step_by_step

LOOK_UP_SECONDS = 120.0
"""After this long without a readable history the message is posted: late is better than never (P2)."""
SAFETY_SECONDS = 0.2
"""Nothing is sent in the last moments of a lease."""
POST_BURST = 2
"""Posts in a channel at once. Slack accepts one more, so a post that travels for a second is not too early."""
EDIT_BURST = 5
CROWDED_SECONDS = 2.0
"""Replies wait behind first messages that have to wait in their channel, this long at most after the last of them."""
OUTAGES = frozenset({Failure.CREDENTIALS, Failure.UNCONNECTED, Failure.UNKNOWN})
"""Failures of Slack as a whole, not of one message or channel."""
PROBE_SECONDS = 3.0
"""How soon to check whether another process succeeded."""
TOKEN = "shut:token"  # noqa: S105 - the name of an index
"""Index that all processes read: since when Slack refuses the token."""
DOUBTFUL = "doubtful"
"""The set of threads in which an earlier attempt may still arrive: channel, `ts` of the parent, time of the second."""
SHARED_REFUSAL = "Slack refuses the token, as another process found; one call in 10 s tries it"
R = TypeVar("R", bound=Record)

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Outgoing:
    kind: MessageKind
    channel: str
    message: Message | None
    """None: only check whether an earlier attempt posted it."""
    key: str
    """Stored in the message's metadata, to find it again: opaque ids only. Empty keeps the key when editing."""
    who: str
    """The rate limit's user. An incident's earlier threads are not mistaken for this message."""
    since: float = 0.0
    """Earliest time of its posting; epoch seconds."""
    ts: str | None = None
    """Its `ts`; None posts it."""
    thread: str | None = None
    broadcast: bool = False
    urgent: bool = False
    plain: bool = False
    """Whether `message` is the text without blocks already."""
    failures: int = 0
    """In a row, before this attempt."""

    @property
    def rate_lane(self) -> str:
        """Posts are limited per channel, edits in the whole workspace."""
        return EDIT_LANE if self.ts else post_lane(self.channel)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Posted (`posted`), waiting (`again_at`), failed (`reaction`), or only looked up and not found."""

    posted: Posted | None = None
    found: bool = False
    """An earlier attempt had posted it, so its content is unknown."""
    again_at: float | None = None
    """When to try again (epoch seconds)."""
    uncertain: bool = False
    """Whether the outcome is unknown: the next claim must look it up."""
    restart_settle: bool = False
    """The outcome of this attempt is unknown: restart the settle time."""
    reaction: Reaction | None = None
    failure: Failure | None = None
    counts: bool = False
    why: str = ""
    """The problem, for the record; empty if none."""


async def send(context: Context, held: Stored[Record], out: Outgoing) -> Outcome:
    """Send one message, or say when to try again. Raises Unreachable if anything but Slack fails."""
    doubt = held.in_doubt_since if out.ts is None else None
    if (ready := _ready_at(context, out, doubt)) > context.now():
        return Outcome(again_at=ready, uncertain=doubt is not None)
    first = out.ts is None and out.thread is None
    shut = f"shut:{out.channel}"
    refusals = (TOKEN, shut) if first else (TOKEN,)
    wait, closed = await _slot(context, out, refusals), list[str]()
    if wait == SHUT:
        closed = await _closed(context, refusals)
        if shut in closed and doubt is None and (wait := await _turn(context, f"ask:{out.channel}", PLACE_SECONDS)) > 0:
            problem = Unreachable("Slack", "the channel cannot be used", failure=Failure.PLACE)
            return _reacted(context, out, problem, wait)
        wait = await (_probed if TOKEN in closed else _slot)(context, out)
    if first and wait > 0:
        context.health.crowded[out.channel] = context.now() + min(wait, CROWDED_SECONDS) + CROWDED_SECONDS / 4
    left = held.lease_ends - SAFETY_SECONDS - context.monotonic()
    if wait > 0 or left < 0:
        return Outcome(again_at=context.now() + wait, uncertain=doubt is not None)
    try:
        async with asyncio.timeout(left):
            outcome = await _sent(context, out, doubt)
    except TimeoutError:
        late = Unreachable("Slack", "no answer while the record was ours", failure=Failure.UNKNOWN)
        return await failed(context, out, late)
    except Unreachable as error:
        if error.system != "Slack":
            raise
        return await failed(context, out, error)
    if outcome.posted:
        context.health.slack = ""
        for index in closed:
            await point(context, [index], OPEN)
    return outcome


async def failed(context: Context, out: Outgoing, error: Unreachable) -> Outcome:
    """Classify a failed Slack call; pauses the affected limit or channel for all processes."""
    log.warning(
        "slack failed", message=out.kind.name, who=out.who, channel=out.channel, failure=error.failure, why=error.what,
        repeats=True,
    )  # fmt: skip
    if error.failure in OUTAGES:
        context.health.slack = str(error)
    if error.failure is Failure.LATER:
        await context.store.pause_lane(out.rate_lane, error.retry_after_seconds or 1.0)
    if error.failure is Failure.CREDENTIALS:
        await context.store.pause_lane("probe", CREDENTIALS_SECONDS)
        await point(context, [TOKEN], f"{context.now()}")
    if error.failure is Failure.PLACE and out.ts is None:
        await context.store.pause_lane(f"ask:{out.channel}", PLACE_SECONDS)
        await point(context, [f"shut:{out.channel}"], f"{context.now()}")
    return _reacted(context, out, error)


def _reacted(context: Context, out: Outgoing, error: Unreachable, wait: float | None = None) -> Outcome:
    """The reaction; `wait` seconds if nothing was sent because the channel is known to be closed."""
    slack = context.settings.file.slack
    rule = out.kind.rule(error.failure, posting=out.ts is None)
    impossible = {Reaction.PLAIN: out.plain, Reaction.FALLBACK: slack.fallback_channel in {"", out.channel}}
    if impossible.get(rule.reaction, False) and rule.otherwise is not None:
        rule = rule.otherwise
    pause = rule.seconds(error, out.failures, slack.settle) if wait is None else wait
    look_up = rule.reaction is Reaction.LOOK_UP
    return Outcome(
        again_at=context.now() + (0.0 if rule.reaction is Reaction.FALLBACK else pause),
        uncertain=look_up,
        restart_settle=look_up,
        reaction=rule.reaction,
        failure=error.failure,
        counts=rule.counts,
        why=str(error),
    )


async def _sent(context: Context, out: Outgoing, doubt: float | None) -> Outcome:
    if doubt is not None:
        try:
            found = await context.chat.find(out.channel, out.key, since=out.since, thread=out.thread)
        except Unreachable as error:
            if context.now() - doubt <= LOOK_UP_SECONDS:
                settle = context.settings.file.slack.settle
                return Outcome(again_at=context.now() + settle, uncertain=True, why=str(error))
            found = None
        if found and await context.store.find(f"thread:{found.channel}:{found.ts}") != out.who:
            return Outcome(found, found=True)
    if out.message is None:
        return Outcome()
    if doubt is not None and out.thread:
        # what was not found may still arrive; the thread is looked through later, as channels are for first messages
        doubled = f"{out.channel}|{out.thread}|{context.now():.0f}"
        await context.store.commit(Change(join=((DOUBTFUL, doubled),)))
    chat = context.chat.in_turn
    if out.ts is not None:
        edited = Posted(out.channel, out.ts)
        await step_by_step(context, out.message, lambda one: chat.update(edited.channel, edited.ts, one, key=out.key))
        return Outcome(edited)

    async def post(one: Message) -> Posted:
        return await chat.post(out.channel, one, key=out.key, thread=out.thread, broadcast=out.broadcast)

    return Outcome(await step_by_step(context, out.message, post))


def with_lookup_at(context: Context, held: Stored[R], until: float | None) -> Stored[R]:
    """The record after an attempt of unknown outcome that has ended: it is looked up at `until`, not after a lease."""
    ready = context.now() if until is None else until
    return replace(held, in_doubt_since=ready - context.settings.file.timing.lease - context.settings.file.slack.settle)


def _ready_at(context: Context, out: Outgoing, doubt: float | None) -> float:
    """When the history shows what an earlier attempt may have sent, and first messages went before; epoch seconds."""
    behind = context.health.crowded.get(out.channel, 0.0) if out.thread and not out.urgent else 0.0
    file = context.settings.file
    return behind if doubt is None else max(behind, doubt + file.timing.lease + file.slack.settle)


async def _probed(context: Context, out: Outgoing) -> float:
    """The same while the token is refused: one call tries it."""
    if (wait := await _turn(context, "probe", CREDENTIALS_SECONDS)) > 0:
        context.health.slack = context.health.slack or SHARED_REFUSAL
        return min(wait, PROBE_SECONDS)
    return await _slot(context, out)


async def _slot(context: Context, out: Outgoing, unless: Sequence[str] = ()) -> float:
    """Seconds until it may be sent; 0 if now, SHUT if one of `unless` is (docs/design/slack.md#rate-limits)."""
    slack = context.settings.file.slack
    interval, burst = (slack.edit_pace, EDIT_BURST) if out.ts else (slack.pace, POST_BURST)
    return await context.store.acquire_slot(out.rate_lane, out.who, interval, burst, urgent=out.urgent, unless=unless)


async def _turn(context: Context, what: str, seconds: float) -> float:
    """Seconds until what all processes together try once in so many seconds may be tried; 0 if now."""
    return await context.store.acquire_slot(what, "ask", seconds, 1, urgent=True)


async def _closed(context: Context, indexes: Sequence[str]) -> list[str]:
    """Which of the token and the channel Slack refused lately."""
    found = await context.store.find_many(indexes)
    return [index for index, value in zip(indexes, found, strict=True) if value not in {None, OPEN}]
