"""The workspace's people, groups, channels, and the app."""

from dataclasses import dataclass, field

from bot.playground.slack.wire import Json


@dataclass(frozen=True, slots=True)
class Team:
    """The workspace."""

    id: str = "T0DEMO"
    name: str = "Acme CI"
    domain: str = "acme-ci"


@dataclass(frozen=True, slots=True)
class Bot:
    """The app that is installed in the workspace, as its bot user."""

    user_id: str = "U0TAILBACK"
    name: str = "tailback"
    bot_id: str = "B0TAILBACK"
    app_id: str = "A0TAILBACK"


@dataclass(frozen=True, slots=True)
class WorkspacePerson:
    """A person; a stranger's `team_id` is another team's."""

    id: str
    name: str
    real_name: str
    team_id: str = "T0DEMO"
    is_restricted: bool = False
    """Whether the person is a guest."""

    def public(self, home_team_id: str) -> Json:
        """The person as `users.info` returns it."""
        answer: Json = {
            **{key: getattr(self, key) for key in ("id", "team_id", "name", "real_name")},
            **{"tz": "Etc/UTC", "tz_offset": 0, "is_restricted": self.is_restricted},
            **dict.fromkeys(("deleted", "is_ultra_restricted", "is_admin", "is_owner", "is_bot", "is_app_user"), False),
            "profile": {"real_name": self.real_name, "display_name": self.name, "team": self.team_id},
        }
        return answer if self.team_id == home_team_id else {**answer, "is_stranger": True}


@dataclass(frozen=True, slots=True)
class UserGroup:
    """A user group with its members' ids."""

    id: str
    handle: str
    name: str
    users: tuple[str, ...]


@dataclass(slots=True)
class Channel:
    """A channel, or a direct conversation (`is_im`), with its messages by `ts` in the order of writing."""

    id: str
    name: str
    members: set[str] = field(default_factory=set)
    is_archived: bool = False
    is_private: bool = False
    is_im: bool = False
    is_ext_shared: bool = False
    messages: dict[str, Json] = field(default_factory=dict)

    @property
    def scope_family(self) -> str:
        """The first half of the scopes that reading it needs."""
        if self.is_im:
            return "im"
        return "groups" if self.is_private else "channels"

    def public(self, bot_user_id: str) -> Json:
        """The channel as `conversations.info` returns it."""
        return {
            "id": self.id, "name": self.name, "is_channel": not self.is_im and not self.is_private,
            "is_group": self.is_private, "is_im": self.is_im, "is_private": self.is_private or self.is_im,
            "is_archived": self.is_archived, "is_ext_shared": self.is_ext_shared,
            "is_member": bot_user_id in self.members, "num_members": len(self.members),
        }  # fmt: skip


PEOPLE = (
    WorkspacePerson("U0ANA", "ana", "Ana"),
    WorkspacePerson("U0BEN", "ben", "Ben"),
    WorkspacePerson("U0CHI", "chi", "Chi"),
    WorkspacePerson("U0DEE", "dee", "Dee, a developer"),
    WorkspacePerson("U0GUEST", "guest", "Guest", is_restricted=True),
    WorkspacePerson("U0OTHER", "other", "Other", team_id="T0OTHER"),
)
GROUPS = (
    UserGroup("S0ONCALL", "oncall", "On call", ("U0ANA", "U0BEN")),
    UserGroup("S0INFRA", "infra", "Infrastructure", ("U0ANA", "U0CHI")),
    UserGroup("S0INFRALEADS", "infra-leads", "Infrastructure leads", ("U0CHI",)),
)
