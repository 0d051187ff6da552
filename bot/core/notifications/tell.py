"""The record of one thing that a person is told later: whom, about what, when, and the mark that makes it one."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from bot.core.alert import digest
from bot.core.incident.details.details import Details
from bot.core.jobs.answer import JobAnswer
from bot.core.jobs.follow import FollowEvent, FollowKind
from bot.core.message import Message, MessageRecord
from bot.core.pool.pool import Snapshot

REPLY_URL_SECONDS = 29 * 60.0
"""Slack takes five posts to a `response_url` within 30 min; one minute is kept for the way there."""


class Way(StrEnum):
    """How a person is told; each falls back on a line in `/queue list`."""

    PRIVATE = "private"
    """Where they asked, visible to them alone: by the `response_url` of what they asked, else by postEphemeral."""
    DIRECT = "direct"
    """A direct message of the app."""
    THREAD = "thread"
    """A reply in a thread, which everybody reads; its message mentions the person."""


@dataclass(frozen=True, slots=True)
class LaterResult:
    """The result of a request that no incident's thread shows, or the news of its lease."""

    details: Details
    figures: tuple[Snapshot, ...] = ()
    by_person: bool | None = True
    """Whether the person did it; False: Tailback, on their behalf; None: news that names nobody."""
    kind: Literal["result"] = "result"


@dataclass(frozen=True, slots=True)
class PlainAnswer:
    """An answer that could not be shown when it was given."""

    text: str
    kind: Literal["answer"] = "answer"


@dataclass(frozen=True, slots=True)
class ReportRequest:
    """A report that was not ready when somebody asked for it."""

    days: int
    pool: str = ""
    """Empty: of all pools."""
    kind: Literal["report"] = "report"


@dataclass(frozen=True, slots=True)
class HandoverNews:
    """Somebody handed an incident over, or the new owner declined."""

    incident: str
    request: str
    """Id of the request that handed it over."""
    declined: bool = False
    kind: Literal["handover"] = "handover"


@dataclass(frozen=True, slots=True)
class Reminder:
    incident: str
    requested_at: float
    """Epoch seconds."""
    kind: Literal["reminder"] = "reminder"


@dataclass(frozen=True, slots=True)
class JobQuestion:
    """The question when a job starts, while its source is being asked."""

    texts: tuple[str, ...]
    """What the person wrote, or the addresses of the message: the first that names a job counts."""
    channel: str = ""
    """Where they asked."""
    kind: Literal["job"] = "job"


@dataclass(frozen=True, slots=True)
class FollowNews:
    """What somebody wanted to be told of a job or a pool."""

    about: FollowKind
    target: str
    """The pool's name, or what the person wrote of the job."""
    event: FollowEvent
    at: float
    """When it was seen (epoch seconds)."""
    jobs: tuple[JobAnswer, ...] = ()
    """The followed jobs then, without what this person may not know."""
    queued: int | None = None
    kind: Literal["follow"] = "follow"


About = LaterResult | PlainAnswer | ReportRequest | HandoverNews | Reminder | JobQuestion | FollowNews


@dataclass(frozen=True, slots=True)
class Tell(MessageRecord):
    """One thing that a person is told; it is judged again when it leaves."""

    id: str
    """`tell_id` of the person and `once`."""
    who: str = ""
    """User id."""
    about: About | None = None
    """None: a due key without a record."""
    when: float = 0.0
    """Not before; epoch seconds."""
    once: str = ""
    """What it is told once: a second record of the same person and mark is not written."""
    way: Way = Way.PRIVATE
    channel: str = ""
    """Where the person asked; the thread's channel."""
    thread: str | None = None
    reply_url: str = field(default="", repr=False)
    """The `response_url` of what they asked. Whoever knows it can write there: it is in no log, export or audit."""
    reply_until: float = 0.0
    """Epoch seconds."""
    stored_at: float = 0.0
    ended_at: float | None = None
    """When it was told, or nothing was left to tell (epoch seconds)."""
    listed: bool = False
    """No way led to the person: `/queue list` shows it to them once."""


@dataclass(frozen=True, slots=True)
class LeftToTell:
    """What is left to tell at the moment of leaving: a message, nothing, or another try later."""

    message: Message | None = None
    again_at: float | None = None
    """Judge again then (epoch seconds); without it and without a message nothing is left to tell."""
    place: tuple[str, str] | None = None
    """(channel, thread) where it belongs now, if a thread has moved."""


def tell_id(who: str, once: str) -> str:
    """The id of the one record about this for this person."""
    return digest("tell", who, once)[:20]
