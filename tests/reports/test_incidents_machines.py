"""Hosts, agents or runners are gone, or go while jobs run on them.

pytorch/pytorch#138724, #95510, #163530, #163900, #129957, #107402 and #87500,
https://www.codeshipstatus.com/incidents/zzy1yrw6vx6b, github-aws-runners/terraform-aws-github-runner#167.
"""

import pytest

from tests.reports.courses import Incident, Named, always, behind, flow, named, waiting

HOSTS = ("offline", "bring_hosts_back")
INCIDENTS = {
    "35 runners on 45 machines (pytorch#138724)": Incident(
        {"busy": 30, "idle": 15, "offline": 0, "machines": 45},
        lambda t: {**behind(0.9, 0.7, t), "busy": 35, "idle": 0},
        120,
        always(*HOSTS),
    ),
    "all Macs are lost (pytorch#95510)": Incident(
        {"busy": 10, "idle": 6, "offline": 0},
        lambda t: {**waiting(0.2 * t, t), "busy": 0, "idle": 0, "offline": 16},
        45,
        always(*HOSTS),
    ),
    "the network of 24 machines is down (pytorch#163530)": Incident(
        {"busy": 20, "idle": 4, "offline": 0},
        lambda t: {**waiting(0.3 * t, t), "busy": 0, "idle": 0, "offline": 24},
        30,
        always(*HOSTS),
    ),
    "an update of the fleet leaves 3 of 120 (pytorch#163900)": Incident(
        {"busy": 70, "idle": 50, "offline": 0},
        lambda t: {**behind(2, 0.1, t), "busy": 3, "idle": 0},
        60,
        always("too_few", "check_scaling_settings"),
    ),
    "25 of 70 were there for as long as is known (pytorch#129957)": Incident(
        {},
        lambda t: {**behind(0.6, 0.4, t), "busy": 25, "idle": 0, "offline": 0},
        350,
        always("limit", "raise_limit"),
    ),
    "an update restarts half of the runners under their jobs (pytorch#107402)": Incident(
        {"busy": 100, "idle": 20, "offline": 0},
        lambda t: {
            **waiting(40 if t < 12 else max(0, 60 - 2 * t), t), "busy": 60 if t < 12 else 110, "idle": 0,
            "offline": 60 if t < 12 else 0,
        },
        8,
        (Named(*HOSTS), Named(*HOSTS), Named("")),
    ),
    "without calls to the provider, busy runners are taken for idle ones (pytorch#87500)": Incident(
        {"busy": 300, "idle": 20, "api_remaining": 4000, **flow(20)},
        lambda t: {
            **behind(20, 10, t), "busy": round(300 * max(0.3, 1 - t / 10)), "idle": 0, "api_remaining": 0,
            **flow(20, 10, 12),
        },
        10,
        always("throttled_api", "stop_calling", harms=True),
    ),
    "new machines end as the old ones did (codeship zzy1yrw6vx6b)": Incident(
        {"busy": 100, "idle": 10, **flow(10)},
        lambda t: {**behind(12, 6, t), "busy": 90, "idle": 0, **flow(12, 6, 3)},
        30,
        always("runners_die", "find_what_kills"),
    ),
    "runners beyond the first page are taken for orphans (terraform-aws-github-runner#167)": Incident(
        {"busy": 25, "idle": 0, "creates": 45, "registered": 45, "booting": 9, "limit": 60, **flow(3)},
        lambda t: {**behind(4, 3, t), **flow(4, 3, 1.2)},
        30,
        always("runners_die", "find_what_kills"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("incident", INCIDENTS.values(), ids=INCIDENTS)
async def test_runners_that_are_gone_are_named(incident: Incident) -> None:
    assert await named(incident) == incident.named
