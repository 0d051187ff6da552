"""The `arc` scaler: the cap and the idle runners of a scale set, and what its controller says of the runners."""

from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from bot.adapters.scalers.arc import build
from bot.ports import Capacity, Refused, Scaler
from tests.adapters.back_end import BackEnd, parts_with, patient_pool
from tests.adapters.scalers.kubernetes_api import SCALE_SET, KubernetesApi
from tests.answering import answering

PLACE = '[pool."linux".scaler]'
TABLE = {"kind": "arc", "namespace": "arc-runners", "name": "linux-2xlarge", "token_env": "TOKEN", "max": 50}
STATUS: dict[str, object] = {"currentRunners": 9, "pendingEphemeralRunners": 1, "runningEphemeralRunners": 8}

Make = Callable[..., Awaitable[Scaler]]


@pytest.fixture
async def api() -> KubernetesApi:
    made = KubernetesApi()
    made.put(SCALE_SET, {"minRunners": 2, "maxRunners": 10, "runnerScaleSetName": "linux-2xlarge"}, STATUS)
    return made


@pytest.fixture
async def lever(api: KubernetesApi) -> AsyncIterator[Make]:
    async with answering(api.endpoint) as url, patient_pool() as wire:

        async def make(**more: object) -> Scaler:
            return build("linux", PLACE, {**TABLE, "url": url, **more}, parts_with(wire, {"TOKEN": "cluster-token"}))[0]

        yield make


async def test_the_cap_is_what_is_set(lever: Make, api: KubernetesApi) -> None:
    """And the controller's count is what is there; nothing else of the object is touched."""
    scaler = await lever()
    assert await scaler.read() == Capacity(9, 2, desired=10)
    await scaler.set(24, "act-1")
    assert api.patches == [{"spec": {"maxRunners": 24}}]
    assert await scaler.read() == Capacity(9, 2, desired=24)
    assert api.objects[SCALE_SET]["spec"]["runnerScaleSetName"] == "linux-2xlarge"


async def test_idle_runners_can_be_the_lever(lever: Make, api: KubernetesApi) -> None:
    """They are kept ready on top of the assigned jobs, so the count of runners is no measure of what is set."""
    scaler = await lever(lever="min")
    assert await scaler.read() == Capacity(2, maximum=10, limited_by="spec.maxRunners of linux-2xlarge")
    await scaler.set(6, "act-1")
    assert api.patches == [{"spec": {"minRunners": 6}}]
    with pytest.raises(Refused, match=r"limited to 10 by its spec\.maxRunners"):
        await scaler.set(11, "act-2")


async def test_a_missing_number_is_zero_idle_runners_and_no_cap(lever: Make, api: KubernetesApi) -> None:
    """Without a cap there is nothing to raise; it never goes below the idle runners."""
    with pytest.raises(Refused, match=r"cannot go to 1, below its spec\.minRunners of 2"):
        await (await lever()).set(1, "act-1")
    del api.objects[SCALE_SET]["spec"]["minRunners"]
    assert (await (await lever(lever="min")).read()).level == 0
    assert (await (await lever()).read()).minimum == 0
    del api.objects[SCALE_SET]["spec"]["maxRunners"]
    with pytest.raises(Refused, match=r'has no spec\.maxRunners, .*; no cap holds it back, so set `lever = "min"`'):
        await (await lever()).read()
    assert (await (await lever(lever="min")).read()).maximum is None
    assert api.patches == []


def test_what_may_revert_it_is_said_before_the_click() -> None:
    parts = BackEnd().parts(TOKEN="x")
    cap = build("linux", PLACE, TABLE, parts)[1].caution
    idle = build("linux", PLACE, {**TABLE, "lever": "min"}, parts)[1].caution
    assert cap.startswith("A Helm or GitOps sync sets these numbers back.")
    assert "restarts the scale set's listener" in cap
    assert idle.startswith("The target is the number of idle runners kept ready")
