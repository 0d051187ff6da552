"""The sections of tailback.toml that do not depend on integrations: settings, defaults and units."""

from typing import Annotated, Literal, Self
from urllib.parse import SplitResult, urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from bot.core.durations import DAYS, seconds, zone
from bot.core.external import INSTALLATION
from bot.core.pool.history import KEPT_SECONDS
from bot.core.reporting.issue import SEV, IssueForm, IssuePart, form_of
from bot.core.reporting.weekly import WeeklySchedule

Seconds = Annotated[float, BeforeValidator(seconds)]


class WrongSetting(ValueError):  # noqa: N818 - named by what is true of the setting
    """Raised by validators, and reported by `bot/config.py` with the place of the setting."""

    def __init__(self, what: str, remedy: str) -> None:
        super().__init__(f"{what}; {remedy}")
        self.what, self.remedy = what, remedy


def _some_time(given: float) -> float:
    if given <= 0:
        raise WrongSetting("must be longer than 0 s", 'write for example "30s"')
    return given


Period = Annotated[Seconds, AfterValidator(_some_time)]
"""Seconds of a pause or a limit: none would mean without a pause, or over at once."""


def _within_the_past(given: float) -> float:
    if given > KEPT_SECONDS:
        raise WrongSetting("a pool keeps six weeks of hours", 'write "6w" or less, or "0s" for none')
    return given


def web_address(given: str, example: str) -> SplitResult:
    """The parts of an address; raises WrongSetting, and never repeats the value, a possible secret."""
    try:
        url = urlsplit(given.strip())
        whole = url.scheme in {"http", "https"} and bool(url.hostname) and (url.port is None or url.port > 0)
    except ValueError:
        whole = False
    if not whole:
        raise WrongSetting("needs http:// or https:// and a host", f"write for example {example}")
    return url


def _proxy(given: str) -> str:
    url = web_address(given, "http://proxy.example:3128")
    if "@" in url.netloc:
        raise WrongSetting("must not carry a name and password", "name a variable that holds them in proxy_basic_env")
    if url.path.strip("/") or url.query or url.fragment:
        raise WrongSetting("must end with the port", "leave out all that follows it")
    return f"{url.scheme}://{url.netloc}"


class Table(BaseModel, defer_build=True):
    """A table of tailback.toml: unknown keys are refused, values never printed."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


class ReachTable(Table):
    """Common settings of everything that is reached over HTTP."""

    ca_file: str = ""
    """Trusted certificate authorities instead of the usual ones, as a PEM file."""
    proxy: Annotated[str, AfterValidator(_proxy)] = ""
    """Address of an HTTP proxy; the environment's proxies are never used."""
    proxy_basic_env: str = ""
    """Names the variable that holds `user:password` for that proxy."""


class SlackTable(ReachTable):
    """`[slack]`."""

    installation: str = Field(default="", pattern=rf"^({INSTALLATION})?$")
    channel: str = ""
    fallback_channel: str = ""
    mention: str = ""
    currency: str = Field(default="", max_length=8)
    """Written with amounts of money, such as "$" or "EUR"; empty: the amount alone."""
    pace: Seconds = 1.0
    """Shortest time between two messages in one channel; Slack allows about one a second. "0s": no limit."""
    edit_pace: Seconds = 1.4
    """Shortest time between two edits in the workspace; Slack allows about 50 a minute."""
    storm: int = Field(default=4, ge=1)
    """From this many incidents waiting for their thread in one channel, one digest names them all at once."""
    settle: Seconds = 10.0
    """How long an unanswered message may take to appear in Slack's history."""


class RouteTable(Table):
    """One `[[route]]`."""

    match: dict[str, str] = Field(default_factory=dict)
    channel: str
    mention: str = ""


class SenderTable(Table):
    """One `[[sender]]`: an alert sender with a token of its own."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")
    token_env: str = Field(min_length=1)
    """Names the variable with the token; two comma-separated values are both valid, for rotation."""
    sources: list[str] = []
    """Sources that it may use; empty: all."""
    channels: list[str] = []
    """Channels whose incidents it may open or change; empty: all."""


class OutsideTable(ReachTable):
    """`[outside_slack]`: a webhook of its own, or one of the pagers."""

    url_env: str = ""
    pager: str = ""
    """The name of a `[pager.NAME]`."""
    after: Seconds = 300.0


class PagerTable(ReachTable):
    """`[pager.NAME]`: pages people outside Slack while nobody acknowledges an incident."""

    kind: str
    """pagerduty, opsgenie, incident_io or webhook."""
    token_env: str = ""
    """Names the variable with the routing key, API key or token."""
    url: str = ""
    """The address, where it is not the usual one; required for incident.io."""
    url_env: str = ""
    """Names the variable with a webhook's address, which is secret as a whole."""
    channels: list[str] = []
    """Channels whose incidents it hears of; empty: all."""
    unacknowledged: bool = True
    """Whether it is paged for incidents; false: only by `[outside_slack]`."""


class GitHubCredentials(Table):
    """A token, or the three settings of a GitHub App."""

    token_env: str = ""
    app_id: int | str = ""
    """The App's id or client id."""
    private_key_env: str = ""
    """Names the variable that holds the App's private key, the whole PEM file."""
    installation_id: int | str = ""

    @model_validator(mode="after")
    def _complete(self) -> Self:
        app = {"app_id": self.app_id, "private_key_env": self.private_key_env, "installation_id": self.installation_id}
        given = [name for name, value in app.items() if value]
        if self.token_env and given:
            raise WrongSetting(f"token_env and {given[0]} exclude each other", "keep a token or an App")
        if not self.token_env and len(given) < len(app):
            lacking = ", ".join(name for name in app if name not in given)
            raise WrongSetting("has no complete credentials", f"add token_env, or for a GitHub App: {lacking}")
        return self


class IssuesTable(ReachTable, GitHubCredentials):
    """`[issues]`: where `@tailback file` files GitHub issues, and how they are written."""

    repository: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,38}/[A-Za-z0-9._-]{1,100}$")
    """OWNER/NAME."""
    url: str = "https://api.github.com"
    preset: Literal["", "pytorch"] = ""
    """`pytorch`: the headings, the label and the time zone of its `ci: sev` issues."""
    labels: list[str] = []
    headings: dict[IssuePart, str] = Field(default_factory=dict)
    """Part → heading, in order; empty: those of the preset."""
    zone: Annotated[str, AfterValidator(lambda name: name and zone(name) and name)] = ""
    """The time zone of the timeline; empty: that of the preset."""

    @property
    def tags(self) -> tuple[str, ...]:
        """The labels to set."""
        return tuple(self.labels or (["ci: sev"] if self.preset == SEV else []))

    @property
    def form(self) -> IssueForm:
        """How an issue is written."""
        return form_of(self.preset, self.zone, self.headings)


class ActionsTable(Table):
    """`[actions]`."""

    enabled: bool = True
    shadow: bool = False
    per_minute: int = Field(default=20, ge=1)
    """Requests of one person in a minute before the next is refused; three times as many for one incident."""


class TimingTable(Table):
    """`[timing]`."""

    poll: Period = 30.0
    report: Seconds = 300.0
    drained_samples: int = Field(default=3, ge=1)
    reopen_within: Seconds = 1800.0
    escalate_after: Seconds = 900.0
    first_look: Seconds = 2.0
    """How long the first message may wait for its pools to be measured, so that it can name them."""
    lease: Period = 10.0
    """How long a process may work on a record before another may take it over."""
    resync: Period = 300.0
    """How often firing alerts are read from the alert source, in case a delivery was missed."""
    sweep: Period = 60.0
    """How often the history is searched for second threads, and silences are checked."""
    watch: Seconds = 60.0
    """How often pools without an incident are measured, for history and early warning; "0s": off."""
    backfill: Annotated[Seconds, AfterValidator(_within_the_past)] = KEPT_SECONDS
    """How far back a pool's history is filled in from its source, once; "0s": off."""


class EarlyTable(Table):
    """`[early]`: the warning before an alert fires."""

    enabled: bool = True


class ReportTable(Table):
    """`[report]`: the weekly post and its target."""

    enabled: bool = True
    day: Annotated[
        Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"],
        BeforeValidator(lambda day: day.lower() if isinstance(day, str) else day),
    ] = "monday"
    hour: int = Field(default=9, ge=0, le=23)
    zone: Annotated[str, AfterValidator(lambda name: zone(name) and name)] = "UTC"
    target_wait: Period = 900.0

    @property
    def schedule(self) -> WeeklySchedule:
        """When the weekly post is due."""
        return WeeklySchedule(DAYS.index(self.day), self.hour, zone(self.zone))


class PermissionsTable(Table):
    """`[permissions]`: user ids, user group ids, or "anyone" (full members of this workspace)."""

    ack: list[str] = ["anyone"]
    silence: list[str] = ["anyone"]
    diagnose: list[str] = ["anyone"]
    scale: list[str] = []
    file: list[str] = ["anyone"]
    approve: list[str] = []


class HttpTable(Table):
    """`[http]`: the limits of the endpoints."""

    max_body_bytes: int = Field(default=4 * 1024 * 1024, ge=16 * 1024, le=64 * 1024 * 1024)
    """Larger request bodies are refused with 413."""
    max_connections: int = Field(default=4096, ge=16)
    """Open connections at once; beyond it every request is answered with 503, so that senders try again."""


class SnsTable(ReachTable):
    """`[sns]`."""

    topics: list[str] = []
