"""The `kubernetes` scaler: replicas behind a scale subresource, compared and set."""

from collections.abc import AsyncIterator

import pytest

from bot.adapters.build_context import Parts
from bot.adapters.scalers.kubernetes import build
from bot.ports import Capacity, Failure, Refused, Scaler, Unreachable
from tests.adapters.back_end import parts_with, patient_pool
from tests.adapters.scalers.kubernetes_api import DEPLOYMENT, KubernetesApi, serving_kubernetes

PLACE = '[pool."linux".scaler]'
TABLE = {"kind": "kubernetes", "namespace": "ci", "name": "runners", "token_env": "TOKEN", "max": 50}


@pytest.fixture
async def parts() -> AsyncIterator[Parts]:
    """Parts with the cluster's token."""
    async with patient_pool() as wire:
        yield parts_with(wire, {"TOKEN": "cluster-token"})


@pytest.fixture
async def api() -> KubernetesApi:
    """A deployment of 10, all there."""
    made = KubernetesApi()
    made.put(DEPLOYMENT, {"replicas": 10}, {"replicas": 10})
    return made


@pytest.fixture
async def scaler(api: KubernetesApi, parts: Parts) -> AsyncIterator[Scaler]:
    """The adapter in front of it."""
    async with serving_kubernetes(api) as url:
        yield build("linux", PLACE, {**TABLE, "url": url}, parts)[0]


async def test_what_is_set_and_what_is_there_are_told_apart(scaler: Scaler, api: KubernetesApi) -> None:
    """Pods that were accepted and do not come are seen in the difference."""
    await scaler.set(24, "act-1")
    assert await scaler.read() == Capacity(10, desired=24)
    api.change(DEPLOYMENT, {"status": {"replicas": 24}})
    assert await scaler.read() == Capacity(24, desired=24)


async def test_no_replicas_are_zero_and_not_unknown(scaler: Scaler, api: KubernetesApi) -> None:
    """The API server leaves out a number that is 0."""
    api.change(DEPLOYMENT, {"spec": {"replicas": 0}, "status": {"replicas": 0}})
    assert await scaler.read() == Capacity(0, desired=0)
    await scaler.set(3, "act-1")
    assert api.patches == [{"replicas": 3}]


async def test_a_conflict_by_a_status_alone_is_tried_once_more(scaler: Scaler, api: KubernetesApi) -> None:
    """Controllers write often; that is nobody else's decision about the size."""
    api.interferences = [{"status": {"replicas": 9}}]
    await scaler.set(24, "act-1")
    assert api.patches == [{"replicas": 24}]


async def test_when_somebody_else_moves_it_nothing_is_set(scaler: Scaler, api: KubernetesApi) -> None:
    """The caller looks and judges again, so that what others raised is not lowered."""
    api.interferences = [{"spec": {"replicas": 30}}]
    with pytest.raises(Unreachable, match="somebody else changed it in this moment") as caught:
        await scaler.set(24, "act-1")
    assert (caught.value.failure, api.patches) == (Failure.LATER, [])
    assert (await scaler.read()).level == 30


async def test_a_second_conflict_is_left_for_later(scaler: Scaler, api: KubernetesApi) -> None:
    """No loop inside one call."""
    api.interferences = [{"status": {"replicas": 9}}, {"status": {"replicas": 8}}]
    with pytest.raises(Unreachable) as caught:
        await scaler.set(24, "act-1")
    assert (caught.value.failure, api.patches) == (Failure.LATER, [])


async def test_what_is_set_already_is_not_set_again(scaler: Scaler, api: KubernetesApi) -> None:
    """No change, no restart, no version."""
    await scaler.set(10, "act-1")
    assert api.patches == []


@pytest.mark.parametrize(("verbs", "call"), [({"PATCH"}, "read"), ({"GET"}, "set")])
async def test_a_missing_right_is_named(scaler: Scaler, api: KubernetesApi, verbs: set[str], call: str) -> None:
    """The API server's words, and what the role needs."""
    api.verbs = frozenset(verbs)
    with pytest.raises(
        Unreachable, match=r"forbidden.*needs get and patch on deployments/scale in namespace ci"
    ) as got:
        await (scaler.read() if call == "read" else scaler.set(24, "act-1"))
    assert got.value.failure is Failure.CREDENTIALS


async def test_an_unknown_deployment_is_named(parts: Parts, api: KubernetesApi) -> None:
    """With its namespace and the API server's words."""
    async with serving_kubernetes(api) as url:
        scaler, _ = build("linux", PLACE, {**TABLE, "url": url, "name": "runnerz"}, parts)
        with pytest.raises(Refused, match=r'runnerz in namespace ci could not be read \(HTTP 404\): "scale" not found'):
            await scaler.read()


async def test_a_target_that_the_api_server_refuses_carries_its_words(scaler: Scaler) -> None:
    """A definite no."""
    with pytest.raises(Refused, match=r"HTTP 422.*greater than or equal to 0"):
        await scaler.set(-1, "act-1")


def test_other_things_with_a_scale_subresource_have_their_path(parts: Parts) -> None:
    """A custom resource, and the core group, which has no name."""
    raw = {**TABLE, "resource": "runnerdeployments", "group": "actions.summerwind.dev", "version": "v1alpha1"}
    scaler, policy = build("linux", PLACE, raw, parts)
    assert scaler._cluster.path == (
        "/apis/actions.summerwind.dev/v1alpha1/namespaces/ci/runnerdeployments/runners/scale"
    )
    core, _ = build("linux", PLACE, {**TABLE, "resource": "replicationcontrollers", "group": ""}, parts)
    assert core._cluster.path == "/api/v1/namespaces/ci/replicationcontrollers/runners/scale"
    assert "HorizontalPodAutoscaler, KEDA or a GitOps controller" in policy.caution
