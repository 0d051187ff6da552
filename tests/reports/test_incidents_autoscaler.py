"""The autoscaler asks for no machines, too late, or counts wrongly.

pytorch/pytorch#126895 and #65767, taskcluster/taskcluster#6641, #3794 and #7422, buildkite/elastic-ci-stack-for-aws#46,
runs-on/runs-on#452, https://status.scalr.io/incidents/mjzqwnbjnt9f, https://status.harness.io/incidents/5sh171r47ty2,
and the past issues of llvm/llvm-zorg's premerge (2025-03-31).
"""

from math import exp

import pytest

from tests.reports.courses import Incident, always, behind, flow, named, waiting

INCIDENTS = {
    "a release of the functions that scale up (pytorch#126895)": Incident(
        {"busy": 60, "idle": 3},
        lambda t: {**behind(2, 1.2, t), "busy": round(60 * max(0.5, 1 - t / 200)), "idle": 0},
        85,
        always("too_few", "check_scaling_settings"),
    ),
    "requests to scale are delivered hours late (pytorch#65767)": Incident(
        {"busy": 30, "idle": 2, "requests": 0, "oldest_request_seconds": None},
        lambda t: {
            **behind(1, 0.8, t), "busy": 28, "idle": 0, "requests": round(0.2 * t), "oldest_request_seconds": 12.0 * t
        },
        60,
        always("requests_pile_up", "read_launch_log"),
    ),
    "machines that stop are counted as machines (taskcluster#6641)": Incident(
        {"busy": 11, "idle": 0, "booting": 0},
        lambda t: {**waiting(8, t), "busy": max(1, round(11 - t / 4))},
        20,
        always("too_few", "check_scaling_settings"),
    ),
    "a worker in quarantine is counted as free (taskcluster#3794)": Incident(
        {"busy": 0, "idle": 1, "booting": 0, "limit": 10},
        lambda t: waiting(1, t),
        12,
        always("unassigned", "compare_labels"),
    ),
    "machines stay as requested after a new image (taskcluster#7422)": Incident(
        {"busy": 6, "idle": 0, "booting": 1, **flow(0.3)},
        lambda t: {
            **behind(0.3, 0.01, t), "busy": max(0, round(6 - t / 3)), "booting": min(20, 1 + round(0.3 * t)),
            **flow(0.3, 0, 0.3 * exp(-t / 20)),
        },
        30,
        always("unregistered", "repair_image", harms=True),
    ),
    "each new machine is stopped while it boots (elastic-ci-stack-for-aws#46)": Incident(
        {"busy": 0, "idle": 0, "booting": 0, "creates": 0, "registered": 0, "limit": 10},
        lambda t: {**waiting(5, t), "booting": int(t / 2) % 2, "creates": min(4, round(t / 4))},
        15,
        always("unregistered", "repair_image", harms=True),
    ),
    "machines made ahead end idle, and none is made again (runs-on#452)": Incident(
        {"busy": 1, "idle": 49, "booting": 0},
        lambda t: {**waiting(1, t), "busy": 0, "idle": 0},
        15,
        always("too_few", "check_autoscaler"),
    ),
    "workers wait for the network, and the autoscaler looks at CPU (scalr mjzqwnbjnt9f)": Incident(
        {"busy": 20, "idle": 4, "limit": 60, "scales_on": "CPUUtilization", **flow(10)},
        lambda t: {**behind(14, 8, t), "busy": 24, "idle": 0, **flow(14, 8)},
        20,
        always("too_few", "scale_on_queue"),
    ),
    "old and new release were both stopped (harness 5sh171r47ty2)": Incident(
        {"busy": 5, "idle": 3},
        lambda t: {**waiting(1.5 * t, t), "busy": 0, "idle": 0},
        10,
        always("too_few", "check_autoscaler"),
    ),
    "two of eight runners, six are failed (llvm-zorg 2025-03-31)": Incident(
        {"busy": 4, "idle": 0, "limit": 8, "booting": 0, "failed": 0},
        lambda t: {**behind(0.3, 0.1, t), "busy": 2, "failed": 6},
        60,
        always("failed_fill", "delete_failed_runners"),
    ),
    "the same where nobody counts failed runners": Incident(
        {"busy": 4, "idle": 0, "limit": 8},
        lambda t: {**behind(0.3, 0.1, t), "busy": 2},
        60,
        always("too_few", "check_scaling_settings"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("incident", INCIDENTS.values(), ids=INCIDENTS)
async def test_machines_that_nobody_asks_for_are_named(incident: Incident) -> None:
    assert await named(incident) == incident.named
