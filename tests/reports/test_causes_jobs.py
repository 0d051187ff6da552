"""Jobs that hang, become slow or die, rows that are none, and more work than the machines can do.

InterCooperative-Network/icn#1401, jenkins-infra/helpdesk#2971, #3211 and #2733, nodejs/build#1141 and #1109,
spiceai/spiceai#13446, https://status.circleci.com/incidents/0wm9t6jj699m and jq4bgq2sjt1r,
https://circleci.statuspage.io/incidents/c9s4xq1z87w2, alisw/ali-bot#1216,
github-aws-runners/terraform-aws-github-runner#5085, openedx/openedx-platform#38595, alphaonedev/ai-memory-mcp#3128,
stan-dev/stan#2971, alphagov/prometheus-aws-configuration-beta#477.
"""

import pytest

from bot.core.signals.signal import Counts, Signal, SignalKind
from tests.reports.courses import Figures, behind, flow, waiting
from tests.reports.judging import Advice, Judgement, answers


def pulls(seconds: float) -> Figures:
    """How long a pull from the registry takes; half a minute is too long."""
    return {"signals": (Signal("pull", SignalKind.SERVICE, seconds, counts=Counts.VALUE, above=30, for_seconds=300),)}


JUDGEMENTS = {
    "one hung test holds the only runner (icn#1401)": Judgement(
        {"busy": 0, "idle": 1, "offline": 0, "usual_duration_seconds": 600.0, **flow(0.03)},
        lambda t: {
            **waiting(1 + t / 30, t), "busy": 1, "idle": 0, "running_longest_seconds": 60 * (t + 5), **flow(0.03, 0)
        },
        40,
        ("limit",) * 3,
        Advice("raise_limit", "yes", open=True),
    ),
    "agents are lost under their builds, which never end (helpdesk#2971)": Judgement(
        {"busy": 8, "idle": 2, "limit": 10, **flow(0.2)},
        lambda t: {**waiting(0.2 * t, t), "busy": 10, "idle": 0, **flow(0.2, 0)},
        45,
        ("hung",) * 3,
        Advice("cancel_hanging_jobs", open=True),
    ),
    "a job of four days blocks the queue beside idle machines (nodejs/build#1141)": Judgement(
        {"busy": 1, "idle": 5},
        lambda t: waiting(2 + t / 20, t),
        60,
        ("unassigned",) * 3,
        Advice("compare_labels", "no", open=True),
    ),
    "items of builds that are over stay in the queue (helpdesk#3211)": Judgement(
        {"busy": 6, "idle": 10, **flow(1)},
        lambda t: waiting(40, t),
        150,
        ("stale_rows",) * 3,
        Advice("leave_rows_out", "no", open=True),
    ),
    "builds wait for a slow artifact server (helpdesk#2733)": Judgement(
        {"busy": 20, "idle": 5, "limit": 40, "duration_p50_seconds": 190.0, **flow(4)},
        lambda t: {
            **waiting(2 * max(0, t - 12), max(0, t - 12) / 2), "busy": round(min(40, 20 + 2 * t)), "idle": 0,
            "duration_p50_seconds": 900.0, **(flow(4, 2) if t > 12 else flow(4, 4, 2)),
        },
        40,
        ("slower",) * 3,
        Advice("find_slow_jobs", "yes", open=True),
    ),
    "images come slowly from a registry (circleci 0wm9t6jj699m)": Judgement(
        {"busy": 20, "idle": 5, "limit": 30, **flow(2), **pulls(4)},
        lambda t: {**behind(2, 1.4, t), "busy": 30, "idle": 0, **flow(2, 1.4), **pulls(90)},
        40,
        ("slow_service",) * 3,
        Advice("repair_service", open=True),
    ),
    "a build takes all memory, its builder dies, and it is built again (ali-bot#1216)": Judgement(
        {"busy": 20, "idle": 4, **flow(0.6)},
        lambda t: {**behind(0.9, 0.6, t), "busy": 22, "idle": 0, **flow(0.9, 0.6, 0.4)},
        45,
        ("surge", "surge", "runners_die"),
        Advice("add_runners", open=True),
    ),
    "scale-down kills seven jobs a day, and the pool is full (github-aws-runners#5085)": Judgement(
        {"busy": 70, "idle": 10, "limit": 100, **flow(10)},
        lambda t: {**behind(13, 12, t), "busy": 100, "idle": 0, **flow(13, 12, 11.95)},
        75,
        ("limit",) * 3,
        Advice("raise_limit", "yes", open=True),
    ),
    "a bot updates all its branches, on hosted runners (openedx-platform#38595)": Judgement(
        {"busy": 8},
        lambda t: {**waiting(min(355, 12 * t), t), "busy": 20},
        40,
        ("hosted",) * 3,
        Advice("check_account_cap", "no", open=True),
        pool="ubuntu-latest",
    ),
    "a change sends 39 jobs a run to six machines (ai-memory-mcp#3128)": Judgement(
        {"busy": 4, "idle": 2, "offline": 0, **flow(0.3)},
        lambda t: {**behind(1.2, 0.45, t), "busy": 6, "idle": 0, **flow(1.2, 0.45)},
        40,
        ("surge",) * 3,
        Advice("add_runners", "yes", open=True),
    ),
    "a merge queue makes its batches again and again (spiceai#13446)": Judgement(
        {"busy": 5, "idle": 1, "offline": 0, **flow(0.15)},
        lambda t: {**behind(0.4, 0.12, t), "busy": 6, "idle": 0, **flow(0.4, 0.12)},
        105,
        ("surge",) * 3,
        Advice("add_runners", "yes", open=True),
    ),
    "workflows are rerun twice for each failure (circleci jq4bgq2sjt1r)": Judgement(
        {"busy": 300, "idle": 60, "reruns": 20, "failed_jobs": 40, **flow(40)},
        lambda t: {**behind(85, 50, t), "busy": 360, "idle": 0, "reruns": 600, "failed_jobs": 80, **flow(85, 50)},
        15,
        ("surge",) * 3,
        Advice("stop_source", open=True),
    ),
    "4,000 jobs of one release (nodejs/build#1109)": Judgement(
        {"busy": 3, "idle": 3, **flow(0.05)},
        lambda t: {**waiting(min(4000, 40 * t), t), "busy": 6, "idle": 0, **flow(40, 0.1)},
        30,
        ("surge",) * 3,
        Advice("add_runners", open=True),
    ),
    "demand outgrows a fixed fleet of Macs (circleci c9s4xq1z87w2)": Judgement(
        {"busy": 170, "idle": 30, "limit": 200},
        lambda t: {**behind(20, 18, t), "busy": 200, "idle": 0},
        60,
        ("limit",) * 3,
        Advice("raise_limit", "yes", open=True),
    ),
    "eight builds for the only Mac (stan#2971)": Judgement(
        {"busy": 0, "idle": 1, "offline": 0},
        lambda t: {**waiting(8 - t / 60, t), "busy": 1, "idle": 0},
        60,
        ("limit",) * 3,
        Advice("raise_limit", "yes", open=True),
    ),
    "40 jobs at once, and a machine boots for each (prometheus-aws-configuration-beta#477)": Judgement(
        {"busy": 20, "idle": 0, "booting": 0, "limit": 100},
        lambda t: {**waiting(40, t), "booting": 40} if t < 6 else {"busy": 60},
        4,
        ("", "", ""),
        Advice(),
    ),
}  # fmt: skip


@pytest.mark.parametrize("judgement", JUDGEMENTS.values(), ids=JUDGEMENTS)
def test_what_jobs_do_is_judged_rightly(judgement: Judgement) -> None:
    assert answers(judgement) == (judgement.causes, judgement.advice)
