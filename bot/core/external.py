"""Plain values from external systems: a message's place, a person, a scaler's size, a silence."""

from dataclasses import dataclass

from bot.core.alert import Matcher


@dataclass(frozen=True, slots=True)
class Posted:
    """Where Slack put a message."""

    channel: str
    ts: str


@dataclass(frozen=True, slots=True)
class Person:
    """A person, according to Slack."""

    id: str
    team: str = ""
    full_member: bool = True
    """No guest, no bot, and of this workspace."""


@dataclass(frozen=True, slots=True)
class Own:
    """Our message in a channel, outside threads, as Slack has it now."""

    ts: str
    mark: str


@dataclass(frozen=True, slots=True)
class Capacity:
    """A scaler's figures; None if unknown."""

    current: int | None
    minimum: int | None = None
    maximum: int | None = None
    desired: int | None = None
    """The configured size, if the scaler distinguishes it from the existing size (`current`)."""
    limited_by: str = ""
    """The name of `maximum` there, so that people know what to raise: "MaxSize of Auto Scaling group ci"."""
    trouble: str = ""
    """Why the configured runners do not come, in the back end's words; empty if it does not say."""

    @property
    def level(self) -> int | None:
        """The configured size."""
        return self.current if self.desired is None else self.desired

    @property
    def size(self) -> int | None:
        """The size that a target must exceed: the larger of configured and existing runners."""
        if self.current is None or self.desired is None:
            return self.level
        return max(self.current, self.desired)


@dataclass(frozen=True, slots=True)
class SilenceFound:
    """A silence according to its back end; `ends_at` in epoch seconds."""

    id: str
    active: bool
    ends_at: float
    comment: str
    matchers: tuple[Matcher, ...] = ()
    by: str = ""
    """Its creator, according to the back end."""
