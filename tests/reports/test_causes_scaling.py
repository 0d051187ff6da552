"""Autoscalers that are configured wrongly, stop, or lose requests.

github-aws-runners/terraform-aws-github-runner#4076, #5105 and #1136, actions/actions-runner-controller#911, #4000 and
#3629, cloudbase/garm#47, kedacore/keda#5163, buildkite/elastic-ci-stack-for-aws#850 and #673,
jenkinsci/ec2-fleet-plugin#285, jenkinsci/azure-vm-agents-plugin#220, jenkins-infra/helpdesk#4287,
JiRaska/open-bank-oss#1272, pytorch/ci-infra#736, https://www.buildkitestatus.com/incidents/919qzv0vt1rp,
MinaProtocol/mina#13766.
"""

import pytest

from bot.adapters.metrics.launch_errors import code_of
from tests.reports.courses import behind, flow, refused, waiting
from tests.reports.judging import Advice, Judgement, answers

EXCEEDED = code_of('pods "a" is forbidden: exceeded quota: arc-runners-quota, requested: requests.cpu=5, used: 5')
LIMITED = code_of("all available instance types exceed limits for nodepool; did not tolerate taint (a=b:NoSchedule)")
TAINTED = code_of("0/13 nodes are available: 1 node(s) had untolerated taint {a: b}, 12 didn't match the selector.")
UNASKED = Advice("check_autoscaler", "unknown", open=True)
HARM = Advice("repair_image", "harm", open=True)
JUDGEMENTS = {
    "a boot takes longer than scale-down leaves a machine (github-aws-runners#4076)": Judgement(
        {"busy": 8, "idle": 0, "booting": 1, "creates": 8, "registered": 8, "limit": 30},
        lambda t: {
            **behind(0.5, 0.2, t), "busy": max(2, round(8 - t / 5)), "booting": 4, "creates": 14, "registered": 4
        },
        30,
        ("unregistered",) * 3,
        HARM,
    ),
    "the number of replicas is calculated as 0 beside waiting jobs (actions-runner-controller#911)": Judgement(
        {"busy": 25, "idle": 0, "limit": 50},
        lambda t: {**waiting(20 + t / 2, t), "busy": max(0, round(25 - 1.5 * t))},
        15,
        ("too_few",) * 3,
        UNASKED,
    ),
    "jobs beyond the maximum of 2 are forgotten (garm#47)": Judgement(
        {"busy": 1, "idle": 0, "limit": 2},
        lambda t: {**waiting(3, t), "busy": 2 if t < 18 else 0},
        12,
        ("limit", "too_few", "too_few"),
        UNASKED,
    ),
    "one runner at a time, of 100 (keda#5163)": Judgement(
        {"busy": 0, "idle": 0, "limit": 100},
        lambda t: {**waiting(max(1, 20 - t / 15), t), "busy": 1},
        20,
        ("too_few",) * 3,
        Advice("check_scaling_settings", "unknown", open=True),
    ),
    "agents leave when idle, and their machines stay (elastic-ci-stack-for-aws#850)": Judgement(
        {"busy": 1, "idle": 1, "machines": 2, "limit": 2},
        lambda t: {**waiting(2 + t / 20, t), "busy": 0, "idle": 0},
        15,
        ("offline",) * 3,
        Advice("bring_hosts_back", open=True),
    ),
    "62 suspended machines count towards the limit (ec2-fleet-plugin#285)": Judgement(
        {"busy": 40, "idle": 10, "offline": 0, "limit": 110},
        lambda t: {**waiting(0.8 * t, t), "busy": 48, "idle": 0, "offline": 62},
        25,
        ("offline",) * 3,
        Advice("bring_hosts_back", open=True),
    ),
    "machines whose agents never came fill the quota (azure-vm-agents-plugin#220)": Judgement(
        {"busy": 10, "idle": 2, "machines": 12, "limit": 30},
        lambda t: {
            **behind(0.5, 0.15, t), "busy": max(3, round(10 - t / 5)), "idle": 0, "machines": round(min(30, 12 + t))
        },
        40,
        ("offline",) * 3,
        Advice("bring_hosts_back", open=True),
    ),
    "machines boot for a quarter of an hour (helpdesk#4287)": Judgement(
        {"busy": 30, "idle": 0, "booting": 6, "limit": 120, "creates": 30, "registered": 30, **flow(2)},
        lambda t: {
            **waiting(2 * min(max(t - 3, 0), 12), min(max(t - 3, 0), 12)), "booting": round(min(30, 6 + 2 * t)),
            "registered": round(30 - 2 * min(12, max(0, t - 3), max(0, 30 - t))),
            **flow(2, 0 if 3 < t < 15 else 2, 2), "busy": 18,
        },
        15,
        ("slow_boot",) * 3,
        Advice("look_at_boot_log"),
    ),
    "a runner is taken away before its job is assigned (actions-runner-controller#4000)": Judgement(
        {"busy": 1, "idle": 0, "booting": 0, "failed": 0, "limit": 20, **flow(0.1)},
        lambda t: {**waiting(3, t), "busy": 0, "booting": 3, **flow(0.1, 0)},
        20,
        ("unregistered",) * 3,
        HARM,
    ),
    "a namespace's quota leaves room for one runner (actions-runner-controller#3629)": Judgement(
        {"busy": 1, "idle": 0, "booting": 0, "failed": 0, "limit": 10},
        lambda t: {**waiting(4, t), "failed": 4, **refused(**{EXCEEDED: 4})},
        12,
        ("quota",) * 3,
        Advice("raise_quota", "no"),
    ),
    "a node pool is at its limit of CPUs (open-bank-oss#1272)": Judgement(
        {"busy": 6, "idle": 0, "booting": 0, "failed": 0, "limit": 20},
        lambda t: {**waiting(10 + t / 5, t), "booting": 10, **refused(**{LIMITED: 10})},
        20,
        ("quota",) * 3,
        Advice("raise_quota", "no"),
    ),
    "a taint that nobody removes any more (ci-infra#736)": Judgement(
        {"busy": 12, "idle": 0, "booting": 1, "failed": 0, "limit": 40},
        lambda t: {**waiting(28, t), "busy": 0, "booting": 28, **refused(**{TAINTED: 28})},
        60,
        ("refused",) * 3,
        Advice("read_autoscaler_log", "no", open=True),
    ),
    "two machines at a time for 40 jobs (elastic-ci-stack-for-aws#673)": Judgement(
        {"busy": 2, "idle": 0, "limit": 60},
        lambda t: {
            **waiting(max(0, 40 - 0.4 * t - (2 * t + t * t / 5) / 15), t), "busy": round(2 + 0.4 * min(t, 40))
        },
        15,
        ("too_few", "too_few", ""),
        Advice("check_scaling_settings", "yes", open=False),
    ),
    "autoscaling was off for a deployment, and stayed so (buildkite 919qzv0vt1rp)": Judgement(
        {"busy": 36, "idle": 4, "limit": 120, **flow(24)},
        lambda t: {**behind(30, 26.7, t), "busy": 40, "idle": 0, **flow(30, 26.7)},
        60,
        ("too_few",) * 3,
        Advice("check_scaling_settings", "yes", open=True),
    ),
    "every sixth request is dropped, and no refusal is counted (github-aws-runners#5105)": Judgement(
        {
            "busy": 120, "idle": 0, "creates": 120, "registered": 120, "booting": 24, "limit": 300, "requests": 0,
            "create_failures": 0, **flow(8),
        },
        lambda t: {**behind(8, 6.6, t), "busy": 99, "creates": 99, "registered": 99, "booting": 20, **flow(8, 6.6)},
        40,
        ("too_few",) * 3,
        Advice("check_scaling_settings", "yes", open=True),
    ),
    "every webhook is refused for its signature (github-aws-runners#1136)": Judgement(
        {
            "busy": 6, "idle": 0, "creates": 15, "registered": 15, "create_failures": 0, "requests": 0, "limit": 20,
            "booting": 3, **flow(1),
        },
        lambda t: {
            **waiting(t, t), "busy": max(0, round(6 - t)), "creates": max(0, round(15 - t)),
            "registered": max(0, round(15 - t)), "booting": 0, **flow(1, 0, max(0, 1 - t / 6)),
        },
        15,
        ("too_few",) * 3,
        Advice("resend_requests", "yes", open=True),
    ),
    "other pods push runners off full nodes (mina#13766)": Judgement(
        {"busy": 50, "idle": 5, **flow(2.5)},
        lambda t: {**behind(3.6, 3, t), "busy": 60, "idle": 0, **flow(3.6, 3, 2)},
        50,
        ("runners_die",) * 3,
        Advice("find_what_kills", open=True),
    ),
}  # fmt: skip


@pytest.mark.parametrize("judgement", JUDGEMENTS.values(), ids=JUDGEMENTS)
def test_autoscalers_that_fail_are_judged_rightly(judgement: Judgement) -> None:
    assert answers(judgement) == (judgement.causes, judgement.advice)
