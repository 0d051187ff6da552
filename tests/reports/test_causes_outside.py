"""Machines that are gone, a provider or a cluster that stands still, and figures that say little.

pytorch/pytorch#166519 and #189558, actions/runner#3651, #4392 and #4613, https://cc.instatus.com/zh-tw/history/1
(GitHub, 2026-05-20), https://www.buildkitestatus.com/incidents/skf4lqz5592w, ROCm/TheRock#6534, paiml/aprender#2452,
exit-zero-labs/threat-forge#240, BSC-ES/autosubmit#461, jenkins-infra/helpdesk#5220, nodejs/build#2312.
"""

import pytest

from bot.adapters.metrics.launch_errors import code_of
from tests.reports.courses import behind, flow, refused, waiting
from tests.reports.judging import SILENT, Advice, Judgement, answers

NO_MACHINES = code_of("Deployment Failed: Microsoft.Compute/virtualMachines:a - Conflict - AllocationFailed")
HOSTS = Advice("bring_hosts_back", open=True)
NOTHING_KNOWN = Advice("", "unknown", open=True)
JUDGEMENTS = {
    "nodes of ROCm are offline, and more jobs come (pytorch#166519)": Judgement(
        {"busy": 45, "idle": 13, "offline": 2, **flow(1.5)},
        lambda t: {**behind(2.1, 1.3, t), "busy": 40, "idle": 0, "offline": 20, **flow(2.1, 1.3)},
        30,
        ("offline",) * 3,
        HOSTS,
    ),
    "the same where only queues are known": Judgement(
        {}, lambda t: waiting(5 + 0.6 * t, t), 60, ("", "", ""), NOTHING_KNOWN
    ),
    "every pool waits for five hours, and only queues are known (pytorch#189558)": Judgement(
        {}, lambda t: waiting(2 * t, t), 60, ("together",) * 3, Advice("ask_what_changed", "unknown", open=True),
        beside=4,
    ),
    "runners of an old version get no jobs any more (runner#3651)": Judgement(
        {"busy": 14, "idle": 10, "offline": 0},
        lambda t: {
            **waiting(0.8 * t, t), "busy": max(0, round(14 - t)), "idle": 0, "offline": round(min(24, 10 + t))
        },
        15,
        ("offline",) * 3,
        HOSTS,
    ),
    "new runners end at once, as their version is too old (runner#4392)": Judgement(
        {"busy": 10, "idle": 0, "booting": 3, "failed": 0, "limit": 50, **flow(1)},
        lambda t: {
            **waiting(t, t), "busy": max(0, round(10 - t)), "booting": round(min(50, 3 + t)),
            **flow(1, 0, max(0, 1 - t / 10)),
        },
        20,
        ("unregistered",) * 3,
        Advice("repair_image", "harm", open=True),
    ),
    "the same for an outage of the provider (runner#4613)": Judgement(
        {"busy": 10, "idle": 0, "booting": 3, "failed": 0, "limit": 50, "provider_up": True, **flow(1)},
        lambda t: {
            **waiting(t, t), "busy": max(0, round(10 - t)), "booting": round(min(50, 3 + t)), "provider_up": False,
            **flow(1, 0, max(0, 1 - t / 10)),
        },
        20,
        ("provider",) * 3,
        Advice("wait_for_provider", "no", open=True),
    ),
    "a third of the jobs is assigned late (GitHub, 2026-05-20)": Judgement(
        {"busy": 40, "idle": 3, "limit": 100, "provider_up": True, **flow(5)},
        lambda t: {**behind(5, 3.5, t), "busy": 30, "idle": 3, "provider_up": False, **flow(5, 3.5)},
        20,
        ("provider",) * 3,
        Advice("wait_for_provider", "no", open=True),
    ),
    "idle agents get no jobs, and the status page is green (buildkite skf4lqz5592w)": Judgement(
        {"busy": 30, "idle": 20, "provider_up": True, **flow(3)},
        lambda t: {
            **waiting(3 * t, t), "busy": max(0, round(30 - 3 * t)), "idle": round(min(50, 20 + 3 * t)),
            **flow(3, 0, max(0, 3 - 0.3 * t)),
        },
        10,
        ("unassigned",) * 3,
        Advice("compare_labels", "no", open=True),
    ),
    "runners do not find a name server, then metrics do not either (TheRock#6534)": Judgement(
        {"busy": 25, "idle": 0, "booting": 3, "failed": 0, "limit": 60, **flow(1)},
        lambda t: {
            **behind(1, 0.2, t), "busy": max(5, round(25 - t)), "booting": round(min(40, 3 + t)), **flow(1, 0.2, 0.8)
        } if t < 25 else SILENT,
        20,
        ("unregistered", "blind", "blind"),
        Advice("repair_metric_source", "unknown"),
    ),
    "a host is without power for 19 minutes (aprender#2452)": Judgement(
        {"busy": 2, "idle": 1, "offline": 0},
        lambda t: {**waiting(0.3 * t, t), "busy": 0, "idle": 0, "offline": 3} if t < 19
        else {**waiting(max(0, 6 - (t - 19) / 2), 12), "busy": 3, "idle": 0} if t < 31 else {"busy": 2},
        10,
        ("offline", "limit", ""),
        Advice("raise_limit", "yes"),
    ),
    "the only runner accepts nothing, and nobody sees runners (threat-forge#240)": Judgement(
        {"busy": 1, **flow(0.05)},
        lambda t: {**waiting(1 + t / 10, t), "busy": 0, **flow(0.1, 0)},
        29,
        ("", "", ""),
        NOTHING_KNOWN,
    ),
    "a certificate keeps the only runner away (autosubmit#461)": Judgement(
        {"busy": 0, "idle": 1, "offline": 0, "limit": 1},
        lambda t: {**waiting(2, t), "idle": 0, "offline": 1},
        60,
        ("offline",) * 3,
        HOSTS,
    ),
    "Azure has none of these machines (helpdesk#5220)": Judgement(
        {"busy": 4, "idle": 0, "booting": 0, "limit": 20},
        lambda t: {**waiting(3 + t / 10, t), "busy": 2, **refused(**{NO_MACHINES: 12})},
        30,
        ("stockout",) * 3,
        Advice("wait_or_change_type", "no", open=True),
    ),
    "two agents are gone, and two rest on purpose (nodejs/build#2312)": Judgement(
        {"busy": 1, "idle": 2, "offline": 2},
        lambda t: {**waiting(6 + t / 5, t), "busy": 1, "idle": 0, "offline": 4},
        30,
        ("offline",) * 3,
        HOSTS,
    ),
}  # fmt: skip


@pytest.mark.parametrize("judgement", JUDGEMENTS.values(), ids=JUDGEMENTS)
def test_what_comes_from_outside_is_judged_rightly(judgement: Judgement) -> None:
    assert answers(judgement) == (judgement.causes, judgement.advice)
