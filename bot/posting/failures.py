"""The meaning of a failed Slack call for a message: one table for every kind of message, with exceptions.

The same table in words is docs/explanation/promises.md#what-slack-errors-do.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from bot.ports import Failure, Unreachable

CREDENTIALS_SECONDS = 10.0
"""While the token is refused, all processes together try once in this time."""
PLACE_SECONDS = 60.0
"""An unusable channel is tried once in this time."""
QUARANTINE_SECONDS = 3600.0


class Reaction(StrEnum):
    AGAIN = "again"
    """Send the same again after the pause."""
    LOOK_UP = "look_up"
    """The outcome is unknown: search the history after the pause, and send again if it is not there."""
    REST = "rest"
    """Send nothing until the pause is over, even if the record is woken."""
    PLAIN = "plain"
    """Send the text without blocks, at once."""
    FALLBACK = "fallback"
    """Post in the fallback channel, at once."""
    REPOST = "repost"
    """Post a new message in its place, at once."""
    GIVE_UP = "give_up"
    """Leave it unchanged."""


@dataclass(frozen=True, slots=True)
class FailureRule:
    reaction: Reaction
    pause: float | None = 0.0
    """Seconds; None means `settle` of [slack], or less after an answer. Slack's own Retry-After takes precedence."""
    doubles_to: float = 0.0
    """The pause doubles with each failure in a row up to this many seconds."""
    otherwise: "FailureRule | None" = None
    """The reaction if this one is not possible."""
    counts: bool = True
    """Whether it counts as a failure in a row; a rate limit does not."""
    reason: str = ""
    """Why a kind of message is an exception."""

    def seconds(self, error: Unreachable, failures: int, settle: float) -> float:
        """The pause after so many earlier failures in a row."""
        if error.retry_after_seconds:
            return min(settle, error.retry_after_seconds) if self.pause is None else error.retry_after_seconds
        pause = settle if self.pause is None else self.pause
        return min(self.doubles_to, pause * 2.0 ** min(failures, 10)) if self.doubles_to else pause


_LATER = FailureRule(Reaction.AGAIN, 1.0, counts=False)
_UNCONNECTED = FailureRule(Reaction.AGAIN, 2.0, doubles_to=60.0)
_SHAPE = FailureRule(Reaction.PLAIN, otherwise=FailureRule(Reaction.REST, QUARANTINE_SECONDS))
_PLACE = FailureRule(Reaction.FALLBACK, otherwise=FailureRule(Reaction.REST, PLACE_SECONDS))
_CREDENTIALS = FailureRule(Reaction.AGAIN, CREDENTIALS_SECONDS, counts=False)

TABLE: Mapping[Failure, tuple[FailureRule, FailureRule]] = {
    Failure.LATER: (_LATER, _LATER),
    Failure.UNKNOWN: (FailureRule(Reaction.LOOK_UP, None), FailureRule(Reaction.AGAIN, None)),
    Failure.UNCONNECTED: (_UNCONNECTED, _UNCONNECTED),
    Failure.SHAPE: (_SHAPE, _SHAPE),
    Failure.PLACE: (_PLACE, _PLACE),
    Failure.CREDENTIALS: (_CREDENTIALS, _CREDENTIALS),
    Failure.GONE: (FailureRule(Reaction.REPOST), FailureRule(Reaction.REPOST)),
    Failure.UNEDITABLE: (_LATER, FailureRule(Reaction.REST, QUARANTINE_SECONDS)),
}
"""The reactions for a new message, and for an edit."""


@dataclass(frozen=True, slots=True)
class MessageKind:
    """A kind of message and its exceptions from the table, each with its reason."""

    name: str
    posts: Mapping[Failure, FailureRule] = field(default_factory=dict)
    edits: Mapping[Failure, FailureRule] = field(default_factory=dict)

    def rule(self, failure: Failure, *, posting: bool) -> FailureRule:
        """The rule for a failed post or edit of this kind."""
        post, edit = TABLE[failure]
        return self.posts.get(failure, post) if posting else self.edits.get(failure, edit)
