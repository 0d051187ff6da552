"""More work than before, or work that holds its runners.

pytorch/pytorch#153563 and #105059, conda-forge/conda-forge-pinning-feedstock#3588,
sscarduzio/elasticsearch-readonlyrest-plugin#1372, JiRaska/open-bank-oss#2039, actions/actions-runner-controller#4183.
"""

import pytest

from tests.reports.courses import Figures, Incident, always, behind, flow, named, sources, waiting

BENCHMARKS: Figures = sources("usual_by_source", periodic=60, benchmarks=8)
MIGRATION: Figures = sources("usual_by_source", people=80, migration=20)
INCIDENTS = {
    "more work for 27 Macs than yesterday (pytorch#153563)": Incident(
        {"busy": 20, "idle": 7, **flow(0.66)},
        lambda t: {**behind(1.2, 0.9, t), "busy": 27, "idle": 0, **flow(1.2, 0.9)},
        100,
        always("surge", "add_runners"),
    ),
    "the same where nobody counts jobs": Incident(
        {"busy": 20, "idle": 7},
        lambda t: {**behind(1.2, 0.9, t), "busy": 27, "idle": 0},
        100,
        always("limit", "raise_limit"),
    ),
    "some users overload the A100 machines (pytorch#105059)": Incident(
        {"busy": 10, "idle": 4, **flow(0.15), **BENCHMARKS},
        lambda t: {
            **behind(0.42, 0.21, t), "busy": 14, "idle": 0, **flow(0.42, 0.21),
            **sources("arrivals_by_source", benchmarks=5, periodic=1),
        },
        110,
        always("surge", "stop_source"),
    ),
    "a migration's bot opens too many pull requests (conda-forge-pinning-feedstock#3588)": Incident(
        {"busy": 150, "idle": 50, "limit": 200, **flow(6), **MIGRATION},
        lambda t: {
            **behind(10.5, 8, t), "busy": 200, "idle": 0, **flow(10.5, 8),
            **sources("arrivals_by_source", migration=100, people=58),
        },
        100,
        always("surge", "stop_source"),
    ),
    "two release jobs hold both runners (elasticsearch-readonlyrest-plugin#1372)": Incident(
        {"busy": 0, "idle": 2, "offline": 0},
        lambda t: {**(waiting(1, t - 48) if t > 48 else {}), "busy": 2, "idle": 0},
        70,
        always("limit", "raise_limit"),
    ),
    "30 jobs a run for 6 runners (open-bank-oss#2039)": Incident(
        {"busy": 4, "idle": 0, "limit": 6, "running_jobs": 4, "booting": 0},
        lambda t: {**waiting(30 + t, t), "busy": 6, "running_jobs": 6},
        60,
        always("limit", "raise_limit"),
    ),
    "places held for jobs that do not exist (later in open-bank-oss#2039)": Incident(
        {"busy": 4, "idle": 0, "limit": 6, "running_jobs": 4, "booting": 0},
        lambda t: {**waiting(30 + t, t), "busy": 6, "running_jobs": 2},
        60,
        always("limit", "free_places"),
    ),
    "runners do not end with their jobs (actions-runner-controller#4183)": Incident(
        {"busy": 6, "idle": 0, "limit": 20, "running_jobs": 6, "booting": 0},
        lambda t: {**behind(0.4, 0.1, t), "busy": 20, "running_jobs": 1},
        40,
        always("limit", "free_places"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("incident", INCIDENTS.values(), ids=INCIDENTS)
async def test_what_fills_the_pool_is_named(incident: Incident) -> None:
    assert await named(incident) == incident.named
