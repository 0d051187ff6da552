"""Reads Slack's responses: our identity, a message's author, full members; and a small cache."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from bot.adapters.http.rows import inner
from bot.core.external import DEFAULT_INSTALLATION, Outsider

V = TypeVar("V")

EVENT_TYPE = "tailback"
MOST_CACHED = 2000


def metadata_of(key: str, installation: str) -> Mapping[str, object]:
    """The metadata of our messages: only opaque ids, because every app and member can read them (C19)."""
    return {"event_type": EVENT_TYPE, "event_payload": {"mark": key, "installation": installation}}


def key_of(message: Mapping[str, object]) -> str:
    """A message's key; empty if it has none of ours."""
    metadata = inner(message, "metadata")
    return text_at(inner(metadata, "event_payload"), "mark") if metadata.get("event_type") == EVENT_TYPE else ""


def installation_of(message: Mapping[str, object]) -> str:
    """Which installation of the app posted a message with a key."""
    return text_at(inner(inner(message, "metadata"), "event_payload"), "installation") or DEFAULT_INSTALLATION


@dataclass(frozen=True, slots=True)
class Identity:
    """Our identity according to auth.test; missing ids are empty."""

    bot: str
    user: str
    team: str
    installation: str = DEFAULT_INSTALLATION
    """Several installations may share one token, and so the other ids."""

    def wrote(self, message: Mapping[str, object]) -> bool:
        """Whether a message is ours, by its author; anybody may copy a key."""
        by_bot = bool(self.bot) and message.get("bot_id") == self.bot
        return by_bot or (bool(self.user) and message.get("user") == self.user)


def teams_of(user: Mapping[str, object]) -> tuple[str, ...]:
    """The workspaces of an organization that name this person, and the organization itself (Enterprise Grid).

    An app of the whole organization has its id instead of a workspace's, and what people press may name it too.
    """
    member = inner(user, "enterprise_user")
    teams = member.get("teams")
    named = [*(teams if isinstance(teams, list) else ()), member.get("enterprise_id")]
    return tuple(team for team in named if isinstance(team, str) and team)


def name_of(user: Mapping[str, object]) -> str:
    """The name that others read, as the person chose it."""
    profile = inner(user, "profile")
    return text_at(profile, "display_name") or text_at(profile, "real_name") or text_at(user, "name")


OUTSIDERS = {
    "deleted": Outsider.GONE,
    "is_bot": Outsider.APP,
    "is_stranger": Outsider.ELSEWHERE,
    "is_restricted": Outsider.GUEST,
    "is_ultra_restricted": Outsider.GUEST,
}
"""Flag of a person → what it makes of them; the first one that is set counts."""


def outsider(user: Mapping[str, object], team: str) -> Outsider | None:
    """Why this is no full member of the workspace or organization `team`; None for one. In doubt they are elsewhere."""
    if not user:
        return Outsider.GONE
    if flagged := next((kind for flag, kind in OUTSIDERS.items() if user.get(flag)), None):
        return flagged
    own = bool(team) and (user.get("team_id") == team or team in teams_of(user))
    return None if own else Outsider.ELSEWHERE


def text_at(body: Mapping[str, object], key: str) -> str:
    """A text in a response; empty if missing."""
    value = body.get(key)
    return value if isinstance(value, str) else ""


class Cache(Generic[V]):
    """Values by id, each kept for a while; when full, it is cleared."""

    def __init__(self, monotonic: Callable[[], float], seconds: float) -> None:
        self._monotonic, self._seconds = monotonic, seconds
        self._kept: dict[str, tuple[float, V]] = {}

    def get(self, key: str) -> V | None:
        until, value = self._kept.get(key, (0.0, None))
        return value if value is not None and self._monotonic() < until else None

    def keep(self, key: str, value: V) -> V:
        if len(self._kept) >= MOST_CACHED:
            self._kept.clear()
        self._kept[key] = (self._monotonic() + self._seconds, value)
        return value
