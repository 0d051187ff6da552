"""What a journey's Tailback is told: an ordinary tailback.toml with short paces, and an ordinary environment."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path

from bot.playground.slack.limits import Limits
from tests.journeys.farm import TOKEN as FARM_TOKEN

LINUX, LARGE, MAC = "linux.2xlarge", "linux.4xlarge", "macos-m1"
TOKEN = "a-webhook-token"

HEAD = """\
[slack]
channel = "C0CIONCALL"
fallback_channel = "C0OPS"
mention = "S0ONCALL"
pace = "{pace}"
edit_pace = "{edit_pace}"
settle = "1s"

[[route]]
match = {{ team = "pytorch-dev-infra" }}
channel = "C0DEVINFRA"

[actions]
enabled = true

[timing]
poll = "{poll}"
report = "{report}"
drained_samples = 3
reopen_within = "{reopen_within}"
escalate_after = "{escalate_after}"
first_look = "5s"
lease = "{claim}"

[permissions]
scale = ["S0INFRA"]

[alertmanager.here]
kind = "{kind}"
url = "{keeper}"
{token_line}
max_silence = "24h"

[metrics.here]
kind = "prometheus"
url = "{farm}"
"""

POOL = """
[pool."{name}"]
match = {{ runner_label = "{name}" }}
metrics = "here"
queued = 'ci_queued{{pool="{name}"}}'
oldest_wait_seconds = 'ci_oldest_wait_seconds{{pool="{name}"}}'
busy = 'ci_busy{{pool="{name}"}}'
idle = 'ci_idle{{pool="{name}"}}'
offline = 'ci_offline{{pool="{name}"}}'
limit = 'ci_limit{{pool="{name}"}}'

[pool."{name}".scaler]
kind = "http"
url = "{farm}/pools/{name}"
max = 40
step = 20
"""


@dataclass(frozen=True, slots=True)
class Setup:
    """What differs between journeys; the limits are Slack's published ones unless a journey says otherwise."""

    pools: tuple[str, ...] = (LINUX, LARGE, MAC)
    limits: Limits | None = field(default_factory=Limits)
    socket_mode: bool = False
    pace: str = "1s"
    edit_pace: str = "0s"
    poll: str = "500ms"
    report: str = "1s"
    claim: str = "20s"
    """How long a claim holds: no busy machine lets it run out. A process that is killed gets a short one."""
    reopen_within: str = "30m"
    escalate_after: str = "15m"
    tables: str = ""
    """More tables of the file."""
    weekly: str = "[report]\nenabled = false\n"
    """The weekly post; off, since it would come on Mondays alone."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """More variables."""
    kind: str = "alertmanager"
    keeper: str = ""
    """Address of the Alertmanager that keeps silences; empty: the farm."""

    def toml(self, farm: str) -> str:
        """The configuration file; `farm` is the address of the back ends."""
        token_line = "" if self.keeper else 'token_env = "FARM_TOKEN"'
        given = {part.name: getattr(self, part.name) for part in fields(self)} | {"keeper": self.keeper or farm}
        head = HEAD.format(**given, token_line=token_line, farm=farm)
        return head + "".join(POOL.format(name=name, farm=farm) for name in self.pools) + self.tables + self.weekly

    def environment(self, file: Path, slack: str, *, port: int, redis_url: str) -> dict[str, str]:
        """The variables; `slack` is the address of the stand-in, an empty `redis_url` means the embedded server."""
        given = {
            "SLACK_BOT_TOKEN": "xoxb-demo",
            "SLACK_API_URL": f"{slack}/api/",
            "TAILBACK_CONFIG": str(file),
            "TAILBACK_DATA": str(file.parent / "data"),
            "TAILBACK_WEBHOOK_TOKEN": TOKEN,
            "HOST": "127.0.0.1",
            "PORT": str(port),
            "FARM_TOKEN": FARM_TOKEN,
        }
        by_socket = {"SLACK_APP_TOKEN": "xapp-demo"} if self.socket_mode else {}
        by_http = {} if self.socket_mode else {"SLACK_SIGNING_SECRET": "demo-signing-secret"}
        by_url = {"REDIS_URL": redis_url} if redis_url else {}
        return given | by_socket | by_http | by_url | dict(self.variables)
