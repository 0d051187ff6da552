"""What the outside answers, as plain values: a message's place, a person, a scaler's size, a silence."""

from dataclasses import dataclass

from bot.core.alert import Matcher


@dataclass(frozen=True, slots=True)
class Posted:
    """Where Slack put a message."""

    channel: str
    ts: str


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who asked for something, as Slack's own records have it."""

    id: str
    team: str = ""
    full_member: bool = True
    """Neither guest, nor bot, nor from another workspace."""


@dataclass(frozen=True, slots=True)
class Own:
    """A message of ours that stands in a channel, outside of threads, as Slack has it now."""

    ts: str
    mark: str


@dataclass(frozen=True, slots=True)
class Capacity:
    """What a scaler says; None where it cannot say."""

    current: int | None
    minimum: int | None = None
    maximum: int | None = None
    desired: int | None = None
    """What is set, where the scaler tells that apart from what it has (`current`)."""
    limited_by: str = ""
    """What `maximum` is called there, so that a person knows what to raise: "MaxSize of Auto Scaling group ci"."""
    trouble: str = ""
    """Why what is set does not come, in the back end's own words; empty when it says nothing of the kind."""

    @property
    def level(self) -> int | None:
        """What is set now."""
        return self.current if self.desired is None else self.desired

    @property
    def size(self) -> int | None:
        """What a target must be above to raise anything: what is set, or what is there, whichever is more."""
        if self.current is None or self.desired is None:
            return self.level
        return max(self.current, self.desired)


@dataclass(frozen=True, slots=True)
class SilenceFound:
    """A silence as its back end has it; `ends_at` in epoch seconds."""

    id: str
    active: bool
    ends_at: float
    comment: str
    matchers: tuple[Matcher, ...] = ()
    by: str = ""
    """Who made it, as the back end says."""
