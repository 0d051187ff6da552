"""The `kubernetes` scaler: replicas behind a scale subresource, or any numeric field, compared and set."""

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from bot.adapters.build_context import BuildContext
from bot.adapters.scalers.kubernetes import build
from bot.ports import Capacity, Failure, Refused, Rehearsed, Scaler, Unreachable
from tests.adapters.back_end import parts_with, patient_pool
from tests.adapters.scalers.kubernetes_api import DEPLOYMENT, HPA, Document, KubernetesApi
from tests.answering import answering

PLACE = '[pool."linux".scaler]'
NODES = "/apis/karpenter.sh/v1/nodepools/ci"
OF_HPA: dict[str, object] = {
    "resource": "horizontalpodautoscalers", "group": "autoscaling", "version": "v2", "field": "spec.minReplicas",
    "current_field": "status.currentReplicas", "max_field": "spec.maxReplicas",
}  # fmt: skip
OF_NODES: dict[str, object] = {
    "namespace": "", "name": "ci", "resource": "nodepools", "group": "karpenter.sh",
    "field": "spec.limits.cpu", "current_field": "status.resources.cpu", "per_runner": 4,
}  # fmt: skip
Make = Callable[..., Any]
TABLE = {"kind": "kubernetes", "namespace": "ci", "name": "runners", "token_env": "TOKEN", "max": 50}


@pytest.fixture
async def parts() -> AsyncIterator[BuildContext]:
    async with patient_pool() as wire:
        yield parts_with(wire, {"TOKEN": "cluster-token"})


@pytest.fixture
async def api() -> KubernetesApi:
    made = KubernetesApi()
    made.put(DEPLOYMENT, {"replicas": 10}, {"replicas": 10})
    return made


@pytest.fixture
async def scaler(api: KubernetesApi, parts: BuildContext) -> AsyncIterator[Scaler]:
    async with answering(api.endpoint) as url:
        yield build("linux", PLACE, {**TABLE, "url": url}, parts)[0]


async def test_what_is_set_and_what_is_there_are_told_apart(scaler: Scaler, api: KubernetesApi) -> None:
    """Pods that were accepted and do not come are seen in the difference.

    Controllers write the status often, which is nobody's decision about the size; what is set is not set again.
    """
    api.interferences = [{"status": {"replicas": 9}}]
    for _ in range(2):
        await scaler.set(24, "act-1")
    assert await scaler.read() == Capacity(9, desired=24)
    api.change(DEPLOYMENT, {"status": {"replicas": 24}})
    assert await scaler.read() == Capacity(24, desired=24)
    assert api.patches == [{"spec": {"replicas": 24}}]
    with pytest.raises(Refused, match=r"HTTP 422.*greater than or equal to 0"):
        await scaler.set(-1, "act-1")


async def test_no_replicas_are_zero_and_not_unknown(scaler: Scaler, api: KubernetesApi) -> None:
    api.change(DEPLOYMENT, {"spec": {"replicas": 0}, "status": {"replicas": 0}})
    assert await scaler.read() == Capacity(0, desired=0)
    await scaler.set(3, "act-1")
    assert api.patches == [{"spec": {"replicas": 3}}]


@pytest.mark.parametrize(
    "others", [[{"spec": {"replicas": 30}}], [{"status": {"replicas": 9}}, {"status": {"replicas": 8}}]],
    ids=["the number", "the status, twice"],
)  # fmt: skip
async def test_when_somebody_else_moves_it_nothing_is_set(
    scaler: Scaler, api: KubernetesApi, others: list[Document]
) -> None:
    """The caller looks and judges again, so that what others raised is not lowered; no loop inside one call."""
    api.interferences = others
    with pytest.raises(Unreachable, match="somebody else changed it in this moment") as caught:
        await scaler.set(24, "act-1")
    assert (caught.value.failure, api.patches) == (Failure.LATER, [])


def test_other_things_with_a_scale_subresource_have_their_path(parts: BuildContext) -> None:
    """A custom resource, and the core group, which has no name; a dot inside a key of a field is escaped."""
    nodes, _ = build("linux", PLACE, {**TABLE, **OF_NODES, "field": r"spec.limits.nvidia\.com/gpu"}, parts)
    assert (nodes.figures.field, nodes.path) == (("spec", "limits", "nvidia.com/gpu"), NODES)
    raw = {**TABLE, "resource": "runnersets", "group": "example.com", "version": "v1alpha1"}
    scaler, policy = build("linux", PLACE, raw, parts)
    assert scaler.path == "/apis/example.com/v1alpha1/namespaces/ci/runnersets/runners/scale"
    core, _ = build("linux", PLACE, {**TABLE, "resource": "replicationcontrollers", "group": ""}, parts)
    assert core.path == "/api/v1/namespaces/ci/replicationcontrollers/runners/scale"
    assert "HorizontalPodAutoscaler, KEDA or a GitOps controller" in policy.caution


@pytest.fixture
async def of(api: KubernetesApi, parts: BuildContext) -> AsyncIterator[Make]:
    """Makes the adapter for a field of an HPA with 2 to 30 replicas, or of a NodePool with room for 10 runners."""
    api.put(HPA, {"minReplicas": 2, "maxReplicas": 30, "metrics": []}, {"currentReplicas": 9})
    api.put(NODES, {"limits": {"cpu": "40", "memory": "1000Gi"}}, {"resources": {"cpu": "14900m"}})
    async with answering(api.endpoint) as url:
        yield lambda table, **more: build("linux", PLACE, {**TABLE, "url": url, **table, **more}, parts)[0]


async def test_a_field_is_applied_by_a_field_manager_of_its_own(of: Make, api: KubernetesApi) -> None:
    """Nothing else of the object is sent, so nothing else is owned; the old value comes back by the same way."""
    scaler = of(OF_HPA)
    limit = "spec.maxReplicas of runners"
    assert await scaler.read() == Capacity(9, maximum=30, desired=2, limited_by=limit)
    await scaler.set(24, "act-1")
    assert await scaler.read() == Capacity(9, maximum=30, desired=24, limited_by=limit)
    assert api.managers == {"tailback/spec.minReplicas": {"f:spec": {"f:minReplicas": {}}}}
    await scaler.set(2, "act-2")
    assert [one["spec"] for one in api.patches] == [{"minReplicas": 24}, {"minReplicas": 2}]
    with pytest.raises(Refused, match=r"spec\.minReplicas of runners cannot go to 31: limited to 30 by its spec\.maxR"):
        await scaler.set(31, "act-3")


async def test_two_fields_of_one_object_do_not_remove_each_other(of: Make, api: KubernetesApi) -> None:
    """An apply that leaves out a field of its manager removes it, so each field has a manager."""
    await of(OF_HPA).set(5, "act-1")
    await of(OF_HPA, field="spec.maxReplicas", max_field="", min_field="spec.minReplicas").set(40, "act-2")
    assert {**api.objects[HPA]["spec"], "metrics": []} == {"minReplicas": 5, "maxReplicas": 40, "metrics": []}


@pytest.mark.parametrize("fields", [{"f:minReplicas": {}}, {}], ids=["the field", "all of spec"])
async def test_a_field_of_somebody_else_is_refused_with_the_owners_name(
    of: Make, api: KubernetesApi, fields: dict[str, object]
) -> None:
    """Never forced; also when the owner took it back after a raise, so that a hand-back does not fight."""
    scaler = of(OF_HPA)
    await scaler.set(24, "act-1")
    api.managers = {"argocd-controller": {"f:spec": fields}}
    with pytest.raises(Refused) as caught:
        await scaler.set(2, "act-2")
    assert str(caught.value) == (
        "Scaler of linux: spec.minReplicas of runners belongs to argocd-controller, so nothing was changed; "
        "let its owner give the field up, as the page describes, or change it there"
    )
    assert (await scaler.read()).level == 24
    assert isinstance(scaler, Rehearsed)
    assert [one.what for one in await scaler.lacking() or ()] == [
        "Scaler of linux: spec.minReplicas of runners belongs to argocd-controller"
    ]


async def test_quantities_count_runners_and_stay_quantities(of: Make, api: KubernetesApi) -> None:
    """A NodePool limits CPUs as text, and the present ones may be a part of a runner's."""
    scaler = of(OF_NODES)
    assert await scaler.read() == Capacity(3, desired=10)
    await scaler.set(24, "act-1")
    await scaler.set(10, "act-2")
    assert [one["spec"]["limits"] for one in api.patches] == [{"cpu": "96"}, {"cpu": "40"}]
    assert api.objects[NODES]["spec"]["limits"] == {"cpu": "40", "memory": "1000Gi"}
    assert await of(OF_NODES, field="spec.limits.memory").read() == Capacity(3, desired=250 * 1024**3)


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"field": "spec.minimum"}, r"runners has no spec\.minimum, or it is not a number; set it there first"),
        ({"field": "spec.metrics"}, r"runners has no spec\.metrics, or it is not a number"),
        ({"per_runner": 4}, r"spec\.minReplicas of runners is 2, no multiple of per_runner \(4\)"),
    ],
)
async def test_what_is_no_number_of_runners_is_not_guessed(of: Make, more: dict[str, object], why: str) -> None:
    for call in (of(OF_HPA, **more).read(), of(OF_HPA, **more).set(24, "act-1")):
        with pytest.raises(Refused, match=why):
            await call
