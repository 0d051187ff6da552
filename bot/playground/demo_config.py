"""The demo's tailback.toml: an ordinary file, written for one scenario."""

from bot.playground.fleet.alerting.rules import Flavour
from bot.playground.fleet.scenarios import DEMO_SPEED, Scenario
from bot.playground.fleet.spec import PoolSpec

COUNTED_SECONDS, PAST_SECONDS, LATELY_SECONDS = 900.0, 36_000.0, 7_200.0
"""Windows in the fleet's time: for counters, and for usual values."""
HEAD = """\
# Written by `tailback demo`. One second of yours is one minute of the fleet, so the paces here are short.
[slack]
channel = "C0CIONCALL"
fallback_channel = "C0OPS"
mention = "S0ONCALL"

[[route]]
match = {{ team = "pytorch-dev-infra" }}
channel = "C0DEVINFRA"

[timing]
poll = "1s"
report = "20s"
drained_samples = 3
reopen_within = "2m"
escalate_after = "3m"
speed = {speed:.0f}
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
"""

POOL = """
[pool."{name}"]
match = {{ {match} }}
metrics = "fleet"
preset = "ci"
window = "{window:.0f}s"
past = "{past:.0f}s"
lately = "{lately:.0f}s"
boot_time = "{boot:.0f}s"
floor = {floor}
{warn}
[pool."{name}".scaler]
kind = "http"
url = "{fleet}/pools/{name}"
max = {maximum}
step = {step}
cooldown = "10s"
approval_above = {approval}
lease = "2m"
drained_for = "10s"
cost_per_runner_hour = 0.34
"""


def demo_config(scenario: Scenario, fleet: str, speed: float = DEMO_SPEED) -> str:
    """TOML for one scenario; `fleet` is the address of the simulated fleet."""
    kind = "grafana" if scenario.rule.flavour is Flavour.GRAFANA else "alertmanager"
    head = HEAD.format(kind=kind, fleet=fleet, speed=speed, watch="1s" if scenario.warned else "1m")
    return head + "".join(_pool(pool, scenario, fleet, speed) for pool in scenario.pools)


def _pool(pool: PoolSpec, scenario: Scenario, fleet: str, speed: float) -> str:
    team = f', team = "{scenario.rule.team}"' if scenario.warned else ""
    return POOL.format(
        name=pool.name,
        match=f'runner_label = "{pool.name}"{team}',
        warn=f'warn_wait = "{scenario.rule.minutes_limit:.0f}m"\n' if scenario.warned else "",
        fleet=fleet,
        window=max(5.0, COUNTED_SECONDS / speed),
        past=max(60.0, PAST_SECONDS / speed),
        lately=max(10.0, LATELY_SECONDS / speed),
        boot=pool.boot_seconds,
        floor=pool.drained_at,
        maximum=pool.ceiling,
        approval=pool.ceiling * 3 // 4,
        step=max(pool.step or 20, pool.minimum),
    )
