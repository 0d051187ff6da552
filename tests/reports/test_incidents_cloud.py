"""The cloud or the cluster gives no machines: stock-outs, quotas, limits of an API, and an image that never works.

https://gitlab.com/gitlab-com/gl-infra/production/-/work_items/21835 and issues/16233,
https://status.circleci.com/incidents/n01blf8xjdbs, https://blog.travis-ci.com/2018-09-27-gce-worker-postmortem and
2019-04-11-incident-review-slow-booting-Linux-builds-outage, iree-org/iree#20391, taskcluster/taskcluster#6332, and
the past issues of llvm/llvm-zorg's premerge (2026-08-16).
"""

from math import exp

import pytest

from tests.reports.courses import Incident, Named, always, behind, flow, named, refused

HARM = always("unregistered", "repair_image", harms=True)
QUOTA, CALLS = ("quota", "raise_quota"), ("throttled_cloud", "call_less", True)
INCIDENTS = {
    "a zone is out of machines (gitlab production 21835)": Incident(
        {"busy": 300, "idle": 40, "limit": 800, **flow(50)},
        lambda t: {
            **behind(50, 30, t), "busy": 240, "idle": 0, **flow(50, 30), **refused(ZONE_RESOURCE_POOL_EXHAUSTED=600)
        },
        25,
        always("stockout", "wait_or_change_type"),
    ),
    "rejected machines stay in their first state (circleci n01blf8xjdbs)": Incident(
        {"busy": 60, "idle": 0, "booting": 18, **flow(6)},
        lambda t: {**behind(6, 0.3, t), "busy": round(60 * exp(-t / 10)), "booting": round(18 + 6 * t), **flow(6, 0.3)},
        25,
        HARM,
    ),
    "many deletions use up the cloud's API, then its quota (travis 2019-03-27)": Incident(
        {"busy": 400, "idle": 0, "booting": 120, **flow(40)},
        lambda t: {
            **behind(55, 30, t), "busy": 330, "booting": round(min(120 + 10 * t, 500)), **flow(55, 30),
            **(refused(rateLimitExceeded=900) if t < 75 else refused(QUOTA_EXCEEDED=900, rateLimitExceeded=400)),
        },
        40,
        (Named(*CALLS), Named(*CALLS), Named(*QUOTA)),
    ),
    "workers crash and leave their machines, until the quota is full (travis 2018-09-10)": Incident(
        {"busy": 200, "idle": 0, "machines": 230, **flow(10)},
        lambda t: {
            **behind(10, 5, t), "busy": round(200 - 2 * min(t, 60)), "machines": round(min(230 + 5 * t, 340)),
            **flow(10, 5, 4), **(refused(QUOTA_EXCEEDED=80) if t >= 25 else {}),
        },
        20,
        (Named("limit", "free_places"), Named(*QUOTA), Named(*QUOTA)),
    ),
    "a failed manager hammers the cloud's API (gitlab production 16233)": Incident(
        {"busy": 400, "idle": 60, "limit": 1000, **flow(60)},
        lambda t: {
            **behind(60, 40, t), "busy": 330, "idle": 0, **flow(60, 40),
            **refused(rateLimitExceeded=1200, quotaExceeded=150),
        },
        25,
        always(*CALLS),
    ),
    "the project's quota, and few of the large machines (iree#20391)": Incident(
        {"busy": 20, "idle": 0, "booting": 1},
        lambda t: {
            **behind(0.8, 0.4, t), "busy": 12, "booting": 10,
            **refused(QUOTA_EXCEEDED=20, ZONE_RESOURCE_POOL_EXHAUSTED=12),
        },
        40,
        always(*QUOTA),
    ),
    "node pools do not grow, and pods pend (llvm-zorg 2026-08-16)": Incident(
        {"busy": 20, "idle": 0, "booting": 1, "failed": 0},
        lambda t: {
            **behind(0.5, 0.2, t), "busy": 14, "booting": round(min(60, 1 + 0.3 * t)),
            **refused(FailedScheduling=round(min(40, 1 + 0.3 * t))),
        },
        70,
        always("cluster_full", "add_nodes"),
    ),
    "the same without the cluster's events": Incident(
        {"busy": 20, "idle": 0, "booting": 1, "failed": 0, **flow(0.5)},
        lambda t: {**behind(0.5, 0.2, t), "busy": 14, "booting": round(min(60, 1 + 0.3 * t)), **flow(0.5, 0.2)},
        70,
        HARM,
    ),
    "a broken image fills the quota of all pools with machines that take nothing (taskcluster#6332)": Incident(
        {"busy": 20, "idle": 0, "creates": 30, "registered": 30, "booting": 5, "machines": 25},
        lambda t: {
            **behind(1, 0.01, t), "busy": max(0, round(20 - t)), "booting": 5, "creates": 300 if t < 80 else 0,
            "registered": 0, "machines": round(min(1600, 25 + 20 * t)), "create_failures": 0,
            **(refused(QUOTA_EXCEEDED=600) if t >= 80 else {}),
        },
        45,
        HARM,
    ),
}  # fmt: skip


@pytest.mark.parametrize("incident", INCIDENTS.values(), ids=INCIDENTS)
async def test_what_keeps_machines_away_is_named(incident: Incident) -> None:
    assert await named(incident) == incident.named
