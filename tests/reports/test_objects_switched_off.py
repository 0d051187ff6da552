"""Objects in Kubernetes that take a new number, and whose controller is paused: the API says 200, and no runner starts.

The numbers are patched by Tailback's own scalers; each row says in which report the controller was paused.
"""

from typing import Any

import pytest

from bot.adapters.registry import SCALERS
from bot.ports import Refused
from tests.adapters.back_end import parts_with, patient_pool
from tests.adapters.scalers.kubernetes_api import SCALE_SET, KubernetesApi
from tests.answering import answering

SCALED = "/apis/keda.sh/v1alpha1/namespaces/ci/scaledobjects/runners"
MACHINES = "/apis/cluster.x-k8s.io/v1beta1/namespaces/ci/machinedeployments/runners"
OF_KEDA = {
    "kind": "kubernetes", "namespace": "ci", "name": "runners", "resource": "scaledobjects", "group": "keda.sh",
    "version": "v1alpha1", "field": "spec.minReplicaCount", "max_field": "spec.maxReplicaCount",
}  # fmt: skip
OF_MACHINES = {
    "kind": "kubernetes", "namespace": "ci", "name": "runners", "resource": "machinedeployments",
    "group": "cluster.x-k8s.io", "version": "v1beta1", "field": "spec.replicas",
    "current_field": "status.replicas",
}  # fmt: skip
OF_ARC = {"kind": "arc", "namespace": "arc-runners", "name": "linux-2xlarge"}
KEDA = {"minReplicaCount": 2, "maxReplicaCount": 40}
ARC = {"minRunners": 0, "maxRunners": 10}
Case = tuple[str, dict[str, Any], dict[str, Any], dict[str, Any], dict[str, str]]
"""Path, scaler, spec, status, annotations."""
OFF: dict[str, Case] = {
    "kedacore/keda#3304, kept at its size": (SCALED, OF_KEDA, KEDA, {}, {"autoscaling.keda.sh/paused": "true"}),
    "kedacore/keda#944, kept at 0": (SCALED, OF_KEDA, KEDA, {}, {"autoscaling.keda.sh/paused-replicas": "0"}),
    "kedacore/keda#7774, both, and the number counts": (
        SCALED, OF_KEDA, KEDA, {},
        {"autoscaling.keda.sh/paused": "false", "autoscaling.keda.sh/paused-replicas": "3"},
    ),
    "kubernetes-sigs/cluster-api#4473": (
        MACHINES, OF_MACHINES, {"replicas": 3}, {"replicas": 3}, {"cluster.x-k8s.io/paused": ""}),
    "actions/actions-runner-controller#4595 and #4596, runners too old": (
        SCALE_SET, OF_ARC, ARC, {"phase": "Outdated", "currentRunners": 0}, {}),
}  # fmt: skip
ON: dict[str, Case] = {
    "kedacore/keda#7774, the switch is off": (SCALED, OF_KEDA, KEDA, {}, {"autoscaling.keda.sh/paused": "false"}),
    "kubernetes-sigs/cluster-api#8629, only its roll-out": (
        MACHINES, OF_MACHINES, {"replicas": 3, "paused": True}, {"replicas": 3}, {}),
    "a scale set that works": (SCALE_SET, OF_ARC, ARC, {"phase": "Running", "currentRunners": 4}, {}),
}  # fmt: skip


async def asked(case: Case, target: int) -> tuple[str, str, list[dict[str, Any]]]:
    """(the trouble that `check` finds, why a request was refused, what was patched)."""
    path, table, spec, status, annotations = case
    api = KubernetesApi()
    api.put(path, spec, status)
    api.objects[path]["metadata"]["annotations"] = annotations
    refusal = ""
    async with answering(api.endpoint) as url, patient_pool() as wire:
        given = {**table, "max": 50, "url": url, "token_env": "TOKEN"}
        scaler, _ = SCALERS[str(table["kind"])]("linux", "[scaler]", given, parts_with(wire, {"TOKEN": api.token}))
        trouble = (await scaler.read()).trouble
        try:
            await scaler.set(target, "act-1")
        except Refused as refused:
            refusal = str(refused)
    return trouble, refusal, api.patches


@pytest.mark.parametrize("case", OFF.values(), ids=OFF)
async def test_what_rests_is_refused_with_the_reason(case: Case) -> None:
    """More runners would be announced, and nothing would be done."""
    trouble, refusal, patches = await asked(case, 20)
    assert trouble
    assert trouble in refusal
    assert patches == []


@pytest.mark.parametrize("case", OFF.values(), ids=OFF)
async def test_what_rests_can_still_be_lowered(case: Case) -> None:
    """What is handed back would start again when its controller does."""
    _, refusal, patches = await asked(case, 1)
    assert (refusal, len(patches)) == ("", 1)


@pytest.mark.parametrize("case", ON.values(), ids=ON)
async def test_what_works_is_raised(case: Case) -> None:
    trouble, refusal, patches = await asked(case, 20)
    assert (trouble, refusal, len(patches)) == ("", "", 1)
