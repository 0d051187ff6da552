"""What the systems under fault differ in: how many processes, which paces and limits; and the file that says so."""

from dataclasses import dataclass, fields

from bot.playground.slack.limits import Limits
from tests.faults.ends import POOL

TOML = """\
[slack]
channel = "C0CIONCALL"
fallback_channel = "C0OPS"
mention = "{mention}"
pace = "{pace}"
edit_pace = "{edit_pace}"
settle = "{settle}"
storm = {storm}

[outside_slack]
url_env = "PAGER_URL"
after = "{after}"

[timing]
poll = "{poll}"
report = "{report}"
first_look = "200ms"
lease = "{lease}"
resync = "{resync}"
sweep = "{sweep}"

[actions]
per_minute = 100000
enabled = {enabled}
shadow = {shadow}

[permissions]
scale = {may_scale}

[alertmanager.here]
kind = "alertmanager"
url = "http://127.0.0.1:{ends}"
max_silence = "{max_silence}"

[metrics.here]
kind = "prometheus"
url = "http://127.0.0.1:{ends}"
"""

ROUTE = """
[[route]]
match = {{ room = "{room}" }}
channel = "C0ROOM{room}"
"""

POOLS = """
[pool."{pool}"]
match = {{ runner_label = "{pool}" }}
metrics = "here"
queued = 'ci_queued{{pool="{pool}"}}'
oldest_wait_seconds = 'ci_oldest_wait_seconds{{pool="{pool}"}}'
busy = 'ci_busy{{pool="{pool}"}}'

[pool."{pool}".scaler]
kind = "http"
url = "http://127.0.0.1:{ends}/pools/{pool}"
max = {most}
step = {step}
cooldown = "{cooldown}"
{price}
"""


@dataclass(frozen=True, slots=True)
class Plan:
    webs: int = 2
    workers: int = 3
    pools: bool = False
    """Whether the alerts' pool is configured, with figures and a scaler."""
    lease: str = "2s"
    settle: str = "1s"
    pace: str = "0s"
    edit_pace: str = "0s"
    poll: str = "2s"
    report: str = "1s"
    resync: str = "5m"
    sweep: str = "1m"
    after: str = "5m"
    storm: int = 1000
    limits: Limits | None = None
    redis: tuple[str, ...] = ()
    enabled: str = "true"
    shadow: str = "false"
    may_scale: str = '["anyone"]'
    max_silence: str = "24h"
    most: int = 40
    step: int = 20
    cooldown: str = "0s"
    tables: str = ""
    """More tables of the file; `{ends}` is the port of the back ends."""
    mention: str = ""
    """The group that is called at the opening; empty: none."""
    price: str = ""
    """Lines on what runners cost, for the scaler's table."""
    rooms: int = 1
    """Channels of their own: alerts with the label `room = "0"` go to `C0ROOM0`."""
    still_limited: bool = False
    """The test ends while Slack's rate limits hold, so that some accepted groups have no thread yet."""
    judges_itself: bool = False
    """The caller tells of breaches in its own words, as the soak does: the system does not judge at its end."""

    def toml(self, ends: int) -> str:
        """The configuration of one process, whose back ends are behind a proxy of its own."""
        given = {part.name: getattr(self, part.name) for part in fields(self)} | {"pool": POOL, "ends": ends}
        text = TOML.format(**given) + "".join(ROUTE.format(room=room) for room in range(self.rooms))
        return text + (POOLS.format(**given) if self.pools else "") + self.tables.format(ends=ends)
