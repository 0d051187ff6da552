"""The demo's tailback.toml: an ordinary file, written for one scenario."""

from bot.playground.fleet.alerting.rules import TEAM, Flavour
from bot.playground.fleet.scenarios import PROVIDER_OUTAGE, Scenario
from bot.playground.fleet.spec import PoolSpec

HEAD = """\
# Written by `tailback demo`. Its clock runs fast, so people get more time here than usual, and Slack is searched less.
# The fleet shares a busy machine with Tailback and may answer late, so a measurement waits longer (`lease`).
[slack]
channel = "C0CIONCALL"
currency = "$"
fallback_channel = "C0OPS"
mention = "S0ONCALL"
settle = "10m"

[[route]]
match = {{ team = "pytorch-dev-infra" }}
channel = "C0DEVINFRA"

[timing]
poll = "{poll}"
report = "20m"
drained_samples = 3
reopen_within = "2h"
escalate_after = "3h"
first_look = "2m"
lease = "40s"
resync = "1h"
sweep = "1h"
watch = "{watch}"
backfill = "0s"

[permissions]
scale = ["S0INFRA"]
approve = ["S0INFRALEADS"]

[alertmanager.fleet]
kind = "{kind}"
url = "{fleet}"
token_env = "FLEET_TOKEN"
max_silence = "24h"

[metrics.fleet]
kind = "prometheus"
url = "{fleet}"
timeout = "2m"
"""

POOL = """
[pool."{name}"]
match = {{ {match} }}
metrics = "fleet"
preset = "ci"
window = "15m"
past = "10h"
lately = "2h"
boot_time = "{boot:.0f}s"
floor = {floor}
{warn}{status}
[pool."{name}".scaler]
kind = "http"
url = "{fleet}/pools/{name}"
max = {maximum}
step = {step}
cooldown = "10m"
approval_above = {approval}
approval_within = "4h"
lease = "4h"
drained_for = "10m"
cost_per_runner_hour = 0.34
"""

SIGNAL = """
[signal.disk]
metrics = "fleet"
kind = "disk"
counts = "machines"
query = 'sum(ci_machines_short{pool="$pool", resource="disk"})'
says = "have no disk space left"
"""


def demo_config(scenario: Scenario, fleet: str, poll: str = "1m") -> str:
    """TOML for one scenario; `fleet` is the address of the simulated fleet, `poll` how often it is measured."""
    kind = "grafana" if scenario.rule.flavour is Flavour.GRAFANA else "alertmanager"
    head = HEAD.format(kind=kind, fleet=fleet, poll=poll, watch="1m" if scenario.warned else "1h")
    pools = "".join(_pool(pool, scenario, fleet) for pool in scenario.pools)
    return f"{head}{pools}{SIGNAL if scenario.signals else ''}"


def _pool(pool: PoolSpec, scenario: Scenario, fleet: str) -> str:
    team = f', team = "{TEAM}"' if scenario.warned else ""
    return POOL.format(
        name=pool.name,
        match=f'runner_label = "{pool.name}"{team}',
        warn=f'warn_wait = "{scenario.rule.minutes_limit:.0f}m"\n' if scenario.warned else "",
        status=f'status_url = "{fleet}/status"\n' if scenario.name == PROVIDER_OUTAGE.name else "",
        fleet=fleet,
        boot=pool.boot_seconds,
        floor=pool.drained_at,
        maximum=pool.ceiling,
        approval=pool.ceiling * 3 // 4,
        step=max(pool.step or 20, pool.minimum),
    )
