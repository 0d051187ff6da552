"""Nobody gives the jobs to the runners, or what looks queued is not.

actions/actions-runner-controller#4396, elizaOS/eliza#13481, NixOS/hydra#559, artifact-keeper/artifact-keeper#3126,
pytorch/pytorch#72188, https://gitlab.com/gitlab-com/gl-infra/production/-/work_items/21532, and the past
issues of llvm/llvm-zorg's premerge (2025-01-28 and 2025-09-29).
"""

import pytest

from tests.reports.courses import Incident, Named, always, flow, named, waiting

LABELS = ("unassigned", "compare_labels")
INCIDENTS = {
    "27 runners of an outage never get a job, also after its end (actions-runner-controller#4396)": Incident(
        {"busy": 5, "idle": 0, "limit": 200, "booting": 1, "provider_up": True},
        lambda t: {**waiting(27 + 0.2 * t, t), "busy": 0, "idle": 27, "provider_up": t > 65},
        30,
        (Named("provider", "wait_for_provider"), Named("provider", "wait_for_provider"), Named(*LABELS)),
        every=1,  # the outage ends ten minutes before the last moment: three samples of it are too few
    ),
    "26 of 26 are idle beside 38 jobs (eliza#13481)": Incident(
        {"busy": 14, "idle": 12, "offline": 0}, lambda t: {**waiting(38, t), "busy": 0, "idle": 26}, 20, always(*LABELS)
    ),
    "85 steps could run on one machine, and none does (hydra#559)": Incident(
        {"busy": 0, "idle": 1}, lambda t: waiting(85, t), 15, always(*LABELS)
    ),
    "a fleet has had no runner for 20 hours (artifact-keeper#3126)": Incident(
        {},
        lambda t: {**waiting(40, 850 + t), "busy": 0, "idle": 0, "offline": 0},
        350,
        always("no_runner", "check_autoscaler"),
    ),
    "jobs of yesterday wait, and new ones start (pytorch#72188)": Incident(
        {},
        lambda t: {**waiting(12, 700 + t), "busy": 48, "idle": 0, **flow(1.6)},
        350,
        always("stale_rows", "leave_rows_out"),
    ),
    "a stalled database lets many old jobs go at once (gitlab production 21532)": Incident(
        {"busy": 300, "idle": 60, "limit": 500, **flow(40)},
        lambda t: {
            **waiting(900 - 12 * t, 42 + 0.3 * t), "busy": min(500, round(360 + 20 * t)), "idle": 0,
            **flow(40, 52, 52),
        },
        8,
        always("late_events", "wait_for_machines"),
    ),
    "metrics of the queue are renamed (llvm-zorg 2025-01-28)": Incident(
        {"busy": 6, "idle": 0},
        lambda t: {"queued": None, "oldest_wait_seconds": None},
        20,
        always("blind", "find_the_queue"),
    ),
    "another cluster gets all the jobs (llvm-zorg 2025-09-29)": Incident(
        {"busy": 6, "idle": 0}, lambda t: {"busy": 0}, 60, always("", "")
    ),
}  # fmt: skip


@pytest.mark.parametrize("incident", INCIDENTS.values(), ids=INCIDENTS)
async def test_jobs_that_nobody_gives_to_runners_are_named(incident: Incident) -> None:
    assert await named(incident) == incident.named
