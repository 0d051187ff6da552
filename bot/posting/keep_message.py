"""Keep the one Slack message of a record up to date: the digest, the early warning, the weekly report
and the notice of a refused alert use this.

docs/design/posting.md shows how to add another kind of message.
"""

from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from bot.context.context import Context
from bot.core.message import Message, MessageRecord
from bot.core.notifications.tell import Tell
from bot.core.record import Change, Digest, Put, RejectedAlert, Stored, WarningRecord
from bot.core.reporting.weekly import Weekly
from bot.ports import Unreachable
from bot.posting.failures import MessageKind, Reaction
from bot.posting.send import Outcome, Outgoing, failed, send, with_lookup_at
from bot.views.blocks import digest_of

M = TypeVar("M", Digest, WarningRecord, RejectedAlert, Weekly, Tell)


@dataclass(frozen=True, slots=True)
class MessageSpec:
    kind: MessageKind
    channel: str
    message: Message | None
    """None: post nothing new, but an earlier attempt may have."""
    key: str
    since: float
    """Earliest time of its posting; epoch seconds."""
    new_key: str = ""
    """The key that an edit gives it; empty keeps the one it has."""
    urgent: bool = False
    thread: str | None = None
    """The parent of a reply; None for a message of its own."""


@dataclass(frozen=True, slots=True)
class Kept(Generic[M]):
    """The record afterwards, and when to continue (epoch seconds; None: the message is up to date)."""

    record: M
    due: float | None = None
    uncertain: bool = False
    restart_settle: bool = False
    reaction: Reaction | None = None
    """The reaction to a failure; FALLBACK and GIVE_UP are for the caller to carry out."""
    channel: str = ""
    """Where Slack says that it stands now; a direct message is addressed by its person."""


async def keep_message(context: Context, held: Stored[M], spec: MessageSpec) -> Kept[M]:
    """Post or edit the message if that is due. Raises Unreachable when anything but Slack fails."""
    record, now = held.value, context.now()
    doubt = record.ts is None and held.in_doubt_since is not None
    if record.retry_at > now:
        return Kept(record, record.retry_at, uncertain=doubt)
    message = Message(spec.message.text) if record.plain and spec.message else spec.message
    if message is None and not doubt:
        return Kept(record)
    if message is not None and record.ts is not None and record.shown == digest_of(message):
        return Kept(record)
    outcome = await send(context, held, _outgoing(record, spec, message))
    return _after(context, record, outcome, "" if outcome.found or message is None else digest_of(message))


async def not_drawn(context: Context, held: Stored[M], spec: MessageSpec, error: Unreachable) -> Kept[M]:
    """Slack failed before the message was drawn; `spec` has no message."""
    out = _outgoing(held.value, spec, None)
    return _after(context, held.value, await failed(context, out, error), "")


def _outgoing(record: MessageRecord, spec: MessageSpec, message: Message | None) -> Outgoing:
    return Outgoing(
        spec.kind,
        spec.channel,
        message,
        spec.key if record.ts is None else spec.new_key,
        who=f"{spec.kind.name}:{spec.key}",
        since=spec.since,
        ts=record.ts,
        thread=spec.thread,
        urgent=spec.urgent,
        plain=record.plain,
        failures=record.failures,
    )


def _after(context: Context, record: M, outcome: Outcome, shown: str) -> Kept[M]:
    now = context.now()
    if outcome.posted is not None:
        ts = outcome.posted.ts
        stands = replace(record, ts=ts, shown=shown, shown_at=now, failures=0, retry_at=0.0, trouble="")
        return Kept(stands, now if outcome.found else None, channel=outcome.posted.channel)
    tried = replace(record, failures=record.failures + outcome.counts, trouble=outcome.why or record.trouble)
    due = outcome.again_at
    if outcome.reaction is Reaction.PLAIN:
        tried = replace(tried, plain=True)
    elif outcome.reaction in {Reaction.REPOST, Reaction.FALLBACK}:
        tried = replace(tried, ts=None, shown="")
    elif outcome.reaction is Reaction.GIVE_UP:
        due = None
    elif outcome.reaction is not None:
        tried = replace(tried, retry_at=due or now)
    return Kept(tried, due, outcome.uncertain, outcome.restart_settle, outcome.reaction)


async def store_and_release(  # noqa: PLR0913 - a record, its due time, and what is stored with it
    context: Context,
    held: Stored[M],
    kept: Kept[M],
    due: float | None,
    keep_seconds: float | None = None,
    *,
    also: tuple[Put, ...] = (),
) -> None:
    """Store the record and end the claim; `due` is when to look again once the message is up to date."""
    mine = with_lookup_at(context, held, kept.due) if kept.restart_settle else held
    at = due if kept.due is None else kept.due
    put = Put(mine, kept.record, at, uncertain=kept.uncertain, keep_seconds=keep_seconds)
    await context.store.commit(Change(puts=(put, *also)))
