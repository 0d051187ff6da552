"""Values that cross the ports, from external systems, and the two exceptions that callers handle."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from enum import StrEnum

from bot.core.alert import Matcher

DEFAULT_INSTALLATION = "default"
"""The id of an installation that nobody named, and of every message from before there were ids."""
INSTALLATION = r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}"
"""How the id of an installation is written; everybody in the workspace can read it."""

FOREIGN = "foreign"
"""The index of how many Socket Mode connections with our token are not ours, at least."""


@dataclass(frozen=True, slots=True)
class Posted:
    channel: str
    ts: str


class Outsider(StrEnum):
    """Why somebody is no full member of this workspace."""

    GUEST = "guest"
    APP = "app"
    GONE = "gone"
    """Deactivated, or unknown to Slack."""
    ELSEWHERE = "elsewhere"
    """Of another workspace or organization."""


@dataclass(frozen=True, slots=True)
class Person:
    id: str
    team: str = ""
    full_member: bool = True
    """No guest, no bot, and of this workspace."""
    outsider: Outsider | None = None
    """Why not; None for a full member, or if it is not known."""
    teams: tuple[str, ...] = ()
    """Further workspaces that the person belongs to, and their organization (Enterprise Grid)."""
    name: str = ""
    """As others read it in Slack; empty if it is not known."""

    def belongs_to(self, team: str) -> bool:
        """Whether this is a workspace of the person, as far as Slack told both."""
        return not team or not self.team or team == self.team or team in self.teams


@dataclass(frozen=True, slots=True)
class AppSeen:
    """The installed app, as `auth.test` names it."""

    team: str
    user: str
    scopes: frozenset[str] | None
    """The scopes of the bot token; None if Slack did not list them."""


@dataclass(frozen=True, slots=True)
class ChannelSeen:
    name: str
    """Empty if only its history is readable."""
    member: bool
    archived: bool | None
    """None if only its history is readable."""
    shared: bool = False


@dataclass(frozen=True, slots=True)
class Own:
    """Our message in a channel, outside threads, as Slack has it now."""

    ts: str
    key: str


@dataclass(frozen=True, slots=True)
class OwnMessages:
    """Our messages in a channel, oldest first, and who else writes there with our token."""

    messages: tuple[Own, ...] = ()
    strangers: frozenset[str] = frozenset()
    """Ids of other installations of the same app."""


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
    pending: str = ""
    """The address where people must agree before `desired` counts, such as a pull request's; empty: it counts."""

    @property
    def level(self) -> int | None:
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


@dataclass(eq=False)
class Refused(Exception):  # noqa: N818 - a refusal is an answer to a person, not an error
    """A refusal for a person: the reason, `who` did it already, who `may` do it, and in `where` (channels)."""

    what: str
    who: str | None = None
    may: Sequence[str] = ()
    where: Sequence[str] = ()
    _: KW_ONLY
    remedy: str = ""

    def __post_init__(self) -> None:
        self.may, self.where = tuple(self.may), tuple(self.where)

    def __str__(self) -> str:
        return f"{self.what}; {self.remedy}" if self.remedy else self.what


@dataclass(frozen=True, slots=True)
class Problem:
    what: str
    remedy: str = ""
    area: str = ""
    """The part of an installation that `tailback check` reports it under; empty: the caller knows."""
    place: str = ""
    """Of a setting: `[pool."linux"]: metrics`, or the name of a variable."""

    @property
    def placed(self) -> str:
        return f"{self.place}: {self.what}" if self.place else self.what

    def __str__(self) -> str:
        return f"{self.placed}; {self.remedy}" if self.remedy else self.placed


class Failure(StrEnum):
    """Classes of failed calls (docs/explanation/promises.md#what-slack-errors-do)."""

    LATER = "later"
    """Not accepted; try again later."""
    UNKNOWN = "unknown"
    """It may have happened: check before trying again."""
    UNCONNECTED = "unconnected"
    """Never reached the system; not done."""
    SHAPE = "shape"
    """The message itself was refused; not done."""
    PLACE = "place"
    """The channel cannot be used; not done."""
    CREDENTIALS = "credentials"
    """The token is not accepted; not done, and nothing will be until it is fixed."""
    GONE = "gone"
    UNEDITABLE = "uneditable"
    """The message is there, and may not be edited any more."""


@dataclass(eq=False)
class Unreachable(Exception):  # noqa: N818 - named by what is true of the system
    """`system` could not do `what`; `failure` says whether it may have happened.

    `remedy` says what to do, and `code` is the system's own name for the error; both may be empty. `block` is the type
    of a block that Slack refused as unknown, and not for its content.
    """

    system: str
    what: str
    _: KW_ONLY
    remedy: str = ""
    code: str = ""
    block: str = ""
    failure: Failure = Failure.UNCONNECTED
    retry_after_seconds: float | None = None

    def __str__(self) -> str:
        return f"{self.system}: {self.reason}"

    @property
    def reason(self) -> str:
        return f"{self.what}; {self.remedy}" if self.remedy else self.what

    @property
    def retryable(self) -> bool:
        """Whether repeating the request later can help."""
        return self.failure in {Failure.LATER, Failure.UNKNOWN, Failure.UNCONNECTED}
