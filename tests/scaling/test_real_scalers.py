"""The story of a scale action with real adapters: limits, lost answers, others' hands, and what never came."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from bot.adapters.scalers import aws_asg, kubernetes
from bot.context.context import PoolScaler
from bot.core.requests.interaction import Surface
from bot.core.requests.request import Progress
from tests.adapters.back_end import parts_with, patient_pool
from tests.adapters.scalers.aws_api import MADE_UP, AwsApi, serving_aws
from tests.adapters.scalers.kubernetes_api import DEPLOYMENT, KubernetesApi, serving_kubernetes
from tests.builders import POOL
from tests.scaling.care import POLICY, CareWorld


@pytest.fixture(autouse=True)
def aws_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    """Made up, and by the usual variables."""
    for name, value in MADE_UP.items():
        monkeypatch.setenv(name, value)


@asynccontextmanager
async def asg(api: AwsApi) -> AsyncIterator[CareWorld]:
    """A world whose pool is an Auto Scaling group."""
    async with serving_aws(api) as url, patient_pool() as wire:
        raw = {"kind": "aws_asg", "group": api.group, "region": "us-east-1", "endpoint_url": url, "max": 40}
        scaler, policy = aws_asg.build(POOL, "[x]", raw, parts_with(wire))
        yield await world_with(PoolScaler(scaler, replace(POLICY, caution=policy.caution)))


@asynccontextmanager
async def deployment(api: KubernetesApi) -> AsyncIterator[CareWorld]:
    """A world whose pool is a deployment."""
    api.put(DEPLOYMENT, {"replicas": 10}, {"replicas": 10})
    async with serving_kubernetes(api) as url, patient_pool() as wire:
        raw = {"kind": "kubernetes", "namespace": "ci", "name": "runners", "url": url, "token_env": "TOKEN", "max": 40}
        scaler, policy = kubernetes.build(POOL, "[x]", raw, parts_with(wire, {"TOKEN": "cluster-token"}))
        yield await world_with(PoolScaler(scaler, replace(POLICY, caution=policy.caution)))


async def world_with(lever: PoolScaler) -> CareWorld:
    """An open incident with 10 runners and a queue."""
    world = CareWorld()
    world.context.levers = {POOL: lever}
    await world.opens()
    world.runners(10)
    return world


async def test_a_target_above_the_groups_limit_is_refused_with_its_name() -> None:
    """Before anything is asked: above MaxSize AWS would scale nothing."""
    api = AwsApi(most=20)
    async with asg(api) as world:
        answer = await world.asks("scale_up", surface=Surface.DIALOG, step="scale_up", values={"target": "24"})
    limit = "it is limited to 20 runners by MaxSize of Auto Scaling group ci-linux"
    assert answer.errors["target"] == (
        f"The target 24 is above the pool's maximum: {limit}; it has 10 runners, and 11 to 20 can be asked for."
    )
    assert api.desired == 10


async def test_what_a_person_should_know_is_said_before_the_click() -> None:
    """Who else may set another number."""
    async with deployment(KubernetesApi()) as world:
        answer = await world.asks("scale_up", surface=Surface.DIALOG, step="scale_up", values={"target": "24"})
    assert "KEDA or a GitOps controller looks after these replicas" in str(answer.view)


async def test_a_lost_answer_is_read_back_and_not_asked_again() -> None:
    """AC-3: applied and never answered is one effect, and is told as done."""
    api = AwsApi(faults={"SetDesiredCapacity": "silent"})
    async with asg(api) as world:
        request = await world.scaled()
        await world.passes(30)
        assert (await world.now(request)).progress is Progress.DONE
        assert any("it accepted" in text for text in world.replies)
    assert [action for action, _ in api.asked].count("SetDesiredCapacity") == 1
    assert api.desired == 24


async def test_what_never_came_is_told_with_the_clouds_own_words() -> None:
    """No effect, and why: a person need not look for it."""
    api = AwsApi(delivers=False, failure="InsufficientInstanceCapacity - no c5.2xlarge in us-east-1a.")
    async with asg(api) as world:
        await world.scaled()
        await world.passes(400)
        (told,) = [text for text in world.replies if "no effect. After" in text]
    assert "the scaler itself counts 10 and it says: InsufficientInstanceCapacity" in told


async def test_what_somebody_else_raised_in_the_same_moment_is_not_lowered() -> None:
    """The patch conflicts, the story looks again, and what is there is enough."""
    api = KubernetesApi(interferences=[{"spec": {"replicas": 30}}])
    async with deployment(api) as world:
        request = await world.scaled()
        await world.passes(30)
        assert (await world.now(request)).progress is Progress.DONE
    assert (api.patches, api.objects[DEPLOYMENT]["spec"]["replicas"]) == ([], 30)


async def test_what_somebody_else_raised_a_little_is_judged_again() -> None:
    """The target is still above it, so it is set."""
    api = KubernetesApi(interferences=[{"spec": {"replicas": 12}}])
    async with deployment(api) as world:
        await world.scaled()
        await world.passes(30)
    assert api.patches == [{"spec": {"replicas": 24}}]


async def test_extra_runners_go_back_to_what_was_set_before() -> None:
    """By the same absolute way, once the queue has been empty for long enough."""
    api = KubernetesApi()
    async with deployment(api) as world:
        await world.scaled()
        world.runners(24, busy=0, queued=0)
        await world.passes(900)
    assert api.patches == [{"spec": {"replicas": 24}}, {"spec": {"replicas": 10}}]


async def test_a_missing_right_ends_the_action_with_its_name() -> None:
    """Not tried again, and nothing in doubt."""
    api = AwsApi(faults={"SetDesiredCapacity": "AccessDenied"})
    async with asg(api) as world:
        request = await world.scaled()
        assert (await world.now(request)).progress is Progress.FAILED
        assert "allow autoscaling:SetDesiredCapacity" in world.replies[-1]
