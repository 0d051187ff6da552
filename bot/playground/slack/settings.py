"""Settings of the stand-in: tokens, scopes, delivery, known block types."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bot.playground.clock import ScaledClock
from bot.playground.slack.delivery.tickets import Tickets
from bot.playground.slack.faults import Faults
from bot.playground.slack.workspace import Workspace

ALL_SCOPES = frozenset({
    "app_mentions:read", "channels:history", "channels:read", "chat:write", "commands", "groups:history", "groups:read",
    "im:history", "usergroups:read", "users:read",
})  # fmt: skip
"""Every scope that the app could ask for, without `chat:write.public` and `channels:join`, which it should not."""


@dataclass(frozen=True, slots=True)
class Command:
    """A slash command of the installed app."""

    command: str = "/queue"
    description: str = "Ask about a runner queue, or act on it"
    usage_hint: str = "status [pool] | list | diagnose POOL | silence POOL DURATION | scale POOL TARGET | report | help"


@dataclass(frozen=True, slots=True)
class Shortcut:
    """A message shortcut of the installed app."""

    callback_id: str
    name: str


@dataclass(frozen=True, slots=True)
class DemoFrame:
    """What the demo adds to the page: its clock, and the story that is told."""

    clock: ScaledClock
    story: str
    choose: Callable[[str], None] | None = None
    """Tells another story instead; None: only this one."""
    channel: str = "C0DEVINFRA"
    """Where the story happens; the page opens there."""


@dataclass(slots=True)
class WorkspaceSettings:
    """May be changed while the stand-in runs. `request_url` `None` means Socket Mode.

    `history_objects` caps a page of history: 15 for commercially distributed apps outside the Marketplace.
    """

    bot_token: str = "xoxb-demo"  # noqa: S105 - the demo's well-known token guards nothing
    app_token: str = "xapp-demo"  # noqa: S105 - as above
    signing_secret: str = "demo-signing-secret"  # noqa: S105 - as above
    request_url: str | None = None
    scopes: frozenset[str] = ALL_SCOPES
    refused_blocks: frozenset[str] = frozenset()
    commands: Sequence[Command] = (Command(),)
    shortcuts: Sequence[Shortcut] = ()
    answer_within_seconds: float = 3.0
    event_retry_seconds: Sequence[float] = (0.0, 60.0, 300.0)
    every_socket: bool = False
    """Whether each envelope goes to every Socket Mode connection, as one does whose acknowledgement was lost on its way
    (slackapi/bolt-js#2487 shows the same envelope id again); otherwise to one connection."""
    history_objects: int = 999
    frame: DemoFrame | None = None


@dataclass(slots=True)
class AppContext:
    """Everything a Web API method may use."""

    workspace: Workspace
    tickets: Tickets
    faults: Faults
    settings: WorkspaceSettings
    socket_url: Callable[[], str]
    base_url: str = ""
