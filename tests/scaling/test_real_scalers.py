"""The story of a scale action with real adapters: limits, lost answers, others' hands, and what never came."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace

import pytest

from bot.adapters.registry import SCALERS
from bot.context.context import PoolScaler
from bot.core.incident.details.requests import RunnersCame, RunnersChecked, RunnersReturned, ScaleAccepted
from bot.core.requests.interaction import Surface
from bot.core.requests.request import Progress
from bot.core.scaling.limits import LimitHit, LimitReason
from bot.views.words.scaling import limit_words
from tests.adapters.back_end import parts_with, patient_pool
from tests.adapters.scalers.aws_api import AwsApi
from tests.adapters.scalers.git_api import FILE_TABLE, GitApi
from tests.adapters.scalers.kubernetes_api import DEPLOYMENT, HPA, KubernetesApi
from tests.answering import answering
from tests.builders import POOL
from tests.scaling.care import POLICY, CareWorld

pytestmark = pytest.mark.usefixtures("made_up_aws")


@asynccontextmanager
async def scaled_by(serving: AbstractAsyncContextManager[str], raw: dict[str, object]) -> AsyncIterator[CareWorld]:
    """An open incident with 10 runners and a queue, whose pool has this scaler in front of a stand-in."""
    async with serving as url, patient_pool() as wire:
        table = {"max": 40, "endpoint_url" if raw["kind"] == "aws_asg" else "url": url, **raw}
        scaler, policy = SCALERS[str(raw["kind"])](POOL, "[x]", table, parts_with(wire, {"TOKEN": "cluster-token"}))
        world = CareWorld()
        world.context.pool_scalers = {POOL: PoolScaler(scaler, replace(POLICY, caution=policy.caution))}
        await world.opens()
        world.runners(10)
        yield world


def asg(api: AwsApi) -> AbstractAsyncContextManager[CareWorld]:
    return scaled_by(answering(api.endpoint), {"kind": "aws_asg", "group": api.group, "region": "us-east-1"})


def deployment(api: KubernetesApi, **raw: object) -> AbstractAsyncContextManager[CareWorld]:
    api.put(DEPLOYMENT, {"replicas": 10}, {"replicas": 10})
    named = {"kind": "kubernetes", "namespace": "ci", "name": "runners", "token_env": "TOKEN"}
    return scaled_by(answering(api.endpoint), {**named, **raw})


def repository(api: GitApi) -> AbstractAsyncContextManager[CareWorld]:
    api.token = "cluster-token"
    return scaled_by(answering(api.endpoint), {**FILE_TABLE, "max": 40})


async def test_a_target_above_the_groups_limit_is_refused_with_its_name() -> None:
    """Before anything is asked: above MaxSize AWS would scale nothing."""
    api = AwsApi(most=20)
    async with asg(api) as world:
        answer = await world.asks("scale_up", surface=Surface.DIALOG, step="scale_up", values={"target": "24"})
    limit = "MaxSize of Auto Scaling group ci-linux"
    hit = LimitHit(LimitReason.ABOVE_MAXIMUM, 24, 10, 20, least=11, most=20, limited_by=limit)
    assert answer.errors["target"] == limit_words(hit)
    assert api.desired == 10


async def test_what_a_person_should_know_is_said_before_the_click() -> None:
    async with deployment(KubernetesApi()) as world:
        answer = await world.asks("scale_up", surface=Surface.DIALOG, step="scale_up", values={"target": "24"})
    assert "KEDA or a GitOps controller looks after these replicas" in str(answer.view)


async def test_what_never_came_is_told_with_the_clouds_own_words() -> None:
    api = AwsApi(delivers=False, failure="InsufficientInstanceCapacity - no c5.2xlarge in us-east-1a.")
    async with asg(api) as world:
        await world.scaled()
        await world.passes(400)
        (details,) = world.details(RunnersChecked)
    assert (details.came, details.delivered, details.set_back) == (RunnersCame.NO_EFFECT, 10, None)
    assert details.trouble.startswith("InsufficientInstanceCapacity")


async def test_what_somebody_else_raised_in_the_same_moment_is_not_lowered() -> None:
    api = KubernetesApi(interferences=[{"spec": {"replicas": 30}}])
    async with deployment(api) as world:
        request = await world.scaled()
        await world.passes(30)
        assert (await world.now(request)).progress is Progress.DONE
    assert (api.patches, api.objects[DEPLOYMENT]["spec"]["replicas"]) == ([], 30)


async def test_what_somebody_else_raised_a_little_is_judged_again() -> None:
    api = KubernetesApi(interferences=[{"spec": {"replicas": 12}}])
    async with deployment(api) as world:
        await world.scaled()
        await world.passes(30)
    assert api.patches == [{"spec": {"replicas": 24}}]


def plan(world: CareWorld) -> str:
    blocks = [block for one in world.chat.thread(world.incident.thread.root or "") for block in one.message.blocks]
    return " ".join(str(block["title"]) for block in blocks if block["type"] == "plan")


PULL = "https://github.com/example/infra/pull/{}"


async def test_a_merged_pull_request_is_handed_back_by_another() -> None:
    api = GitApi()
    async with repository(api) as world:
        await world.scaled()
        assert [one.pending for one in world.details(ScaleAccepted)] == [PULL.format(1)]
        assert "10 → 24: waiting for a merge" in plan(world)
        api.merge()
        world.runners(24, busy=0, queued=0)
        await world.passes(900, step=30)
        (back,) = world.details(RunnersReturned)
        assert (back.level, back.target, back.pending) == (24, 10, PULL.format(2))
        assert "10 → 24: return waiting for a merge" in plan(world)
        assert [one.title for one in api.pulls][1:] == [f'Revert "Scale {POOL} from 10 to 24 runners"']
        assert (world.lease.leases, api.number) == ((), 24)


async def test_a_pull_request_that_nobody_merges_is_said_and_closed_at_the_end() -> None:
    """Also when the answers to its commits are lost: there is one at any time, and none in the end."""
    api = GitApi(silent=True)
    async with repository(api) as world:
        request = await world.scaled()
        api.silent = False
        await world.passes(30)
        assert (await world.now(request)).progress is Progress.DONE
        assert [one.state for one in api.pulls] == ["open"]
        await world.passes(400)
        (details,) = world.details(RunnersChecked)
        assert details.came is RunnersCame.NO_EFFECT
        assert PULL.format(1) in details.trouble
        await world.passes(7400, step=370)
    assert ([one.state for one in api.pulls], list(api.branches)) == (["closed"], ["main"])


async def test_a_field_that_somebody_took_over_is_not_handed_back_by_force() -> None:
    """The owner is named in the thread, and the pool stays as it is; a raise is refused alike."""
    api = KubernetesApi()
    api.put(HPA, {"minReplicas": 10}, {})
    of_hpa = {
        "resource": "horizontalpodautoscalers",
        "group": "autoscaling",
        "version": "v2",
        "field": "spec.minReplicas",
    }
    async with deployment(api, **of_hpa) as world:
        await world.scaled()
        ours, api.managers = api.managers, {"argocd": {"f:spec": {"f:minReplicas": {}}}}
        world.runners(24, busy=0, queued=0)
        await world.passes(900, step=30)
        assert "spec.minReplicas of runners belongs to argocd, so nothing was changed" in world.replies[-1]
        assert len(world.lease.leases) == 1
        api.managers = ours
        await world.passes(7400, step=370)
    assert [one["spec"]["minReplicas"] for one in api.patches] == [24, 10]
