"""The sections of tailback.toml that are the same whatever is connected: each setting with its default and its unit."""

from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from bot.core.durations import DAYS, seconds, zone
from bot.core.pool.history import KEPT_SECONDS
from bot.core.reporting.weekly import Appointment

Seconds = Annotated[float, BeforeValidator(seconds)]


def _within_the_past(given: float) -> float:
    if given > KEPT_SECONDS:
        raise ValueError('a pool keeps six weeks of hours; write "6w" or less, or "0s" for none')
    return given


def _proxy(given: str) -> str:
    """The address as it is; raises ValueError with a remedy, and never repeats the value: it may hold a password."""
    try:
        url = urlsplit(given.strip())
        whole = url.scheme in {"http", "https"} and bool(url.hostname) and (url.port is None or url.port > 0)
    except ValueError:
        whole = False
    if not whole:
        raise ValueError("needs http:// or https:// and a host, for example http://proxy.example:3128")
    if "@" in url.netloc:
        raise ValueError("must not carry a name and password; name a variable that holds them in proxy_basic_env")
    if url.path.strip("/") or url.query or url.fragment:
        raise ValueError("must end with the port; leave out all that follows it")
    return f"{url.scheme}://{url.netloc}"


class Table(BaseModel):
    """A table of tailback.toml: unknown keys are refused, values never printed."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


class ReachTable(Table):
    """The settings of everything that is reached over HTTP by an address of its own."""

    ca_file: str = ""
    """Certificate authorities to believe instead of the usual ones, as a file in PEM."""
    proxy: Annotated[str, AfterValidator(_proxy)] = ""
    """Address of an HTTP proxy in between; the environment's proxies are never used."""
    proxy_basic_env: str = ""
    """Names the variable that holds `user:password` for that proxy."""


class SlackTable(ReachTable):
    """`[slack]`."""

    channel: str = ""
    fallback_channel: str = ""
    mention: str = ""
    pace: Seconds = 1.0
    """Least time between two messages in one channel; Slack allows about one a second. "0s": no pacing."""
    edit_pace: Seconds = 1.4
    """Least time between two edits of messages in the workspace; Slack allows about 50 a minute."""
    storm: int = Field(default=4, ge=1)
    """From this many incidents waiting for their thread in one channel, one digest names them all at once."""
    settle: Seconds = 10.0
    """How long a message that was sent without an answer may take to show up in Slack's history."""


class RouteTable(Table):
    """One `[[route]]`."""

    match: dict[str, str] = Field(default_factory=dict)
    channel: str
    mention: str = ""


class OutsideTable(ReachTable):
    """`[outside_slack]`."""

    url_env: str
    after: Seconds = 300.0


class ActionsTable(Table):
    """`[actions]`."""

    enabled: bool = True
    shadow: bool = False
    per_minute: int = Field(default=20, ge=1)
    """Requests of one person in a minute before the next is refused; three times as many for one incident."""


class TimingTable(Table):
    """`[timing]`."""

    poll: Seconds = 30.0
    report: Seconds = 300.0
    drained_samples: int = Field(default=3, ge=1)
    reopen_within: Seconds = 1800.0
    escalate_after: Seconds = 900.0
    first_look: Seconds = 2.0
    """How long the first message may wait for its pools to be measured, so that it can name them."""
    speed: float = Field(default=1.0, gt=0)
    """How many of the pools' seconds pass in one second of the clock; other than 1 only in a simulation."""
    lease: Seconds = 10.0
    """How long one process may work on a record before another one may take it over."""
    resync: Seconds = 300.0
    """How often what fires is read from the alert source, to heal what deliveries missed."""
    sweep: Seconds = 60.0
    """How often Slack's own record is searched for a second thread of one incident, and silences are checked."""
    watch: Seconds = 60.0
    """How often pools are measured that no open incident speaks of, for their past and the early warning; "0s": off."""
    backfill: Annotated[Seconds, AfterValidator(_within_the_past)] = KEPT_SECONDS
    """How far back a pool's past is filled in from its source's own history, once; "0s": off."""


class EarlyTable(Table):
    """`[early]`: the warning before an alert fires."""

    enabled: bool = True


class ReportTable(Table):
    """`[report]`: the weekly post, and by what the longer view judges."""

    enabled: bool = True
    day: Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] = "monday"
    hour: int = Field(default=9, ge=0, le=23)
    zone: Annotated[str, AfterValidator(lambda name: zone(name) and name)] = "UTC"
    target_wait: Seconds = Field(default=900.0, gt=0)

    @property
    def appointment(self) -> Appointment:
        """When the weekly post is due."""
        return Appointment(DAYS.index(self.day), self.hour, zone(self.zone))


class PermissionsTable(Table):
    """`[permissions]`: user ids, user group ids, or "anyone" (full members of this workspace)."""

    ack: list[str] = ["anyone"]
    silence: list[str] = ["anyone"]
    diagnose: list[str] = ["anyone"]
    scale: list[str] = []
    approve: list[str] = []


class HttpTable(Table):
    """`[http]`: the limits of the endpoints."""

    max_body_bytes: int = Field(default=1024 * 1024, ge=16 * 1024, le=64 * 1024 * 1024)
    """Larger request bodies are refused with 413."""
    max_connections: int = Field(default=4096, ge=16)
    """Open connections at once; beyond it the oldest idle one is closed, or the new one when none is idle."""
    max_idle_per_address: int = Field(default=128, ge=1)
    """Connections of one address on which no request is in progress; beyond it the oldest one is closed."""


class SnsTable(ReachTable):
    """`[sns]`."""

    topics: list[str] = []


class PoolTable(Table):
    """`[pool."NAME"]`: what is the same for every source; the rest is read by the pool's metrics source."""

    model_config = ConfigDict(extra="allow", frozen=True, hide_input_in_errors=True)

    match: dict[str, str] = Field(default_factory=dict)
    metrics: str = ""
    floor: int = Field(default=0, ge=0)
    boot_time: Seconds = 180.0
    warn_wait: Seconds | None = None
    """The early warning speaks of this oldest wait; absent: of what past alerts fired at."""
    warn_queued: int | None = Field(default=None, ge=1)
    """And of this many queued jobs."""
    scaler: dict[str, object] = Field(default_factory=dict)

    @property
    def figures(self) -> dict[str, object]:
        """The keys that belong to the metrics source: a preset, or each figure by hand."""
        return dict(self.model_extra or {})
