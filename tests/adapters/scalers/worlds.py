"""Each kind of scaler in front of a stand-in of its back end, at 10 runners and with room up to 40."""

import stat
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import httpx

from bot.adapters.build_context import BuildContext
from bot.adapters.registry import SCALERS
from bot.adapters.scalers import aws_asg, command, github_aws_runners
from bot.adapters.scalers import http as http_scaler
from bot.ports import Failure, Scaler
from tests.adapters.back_end import URL, BackEnd, SentRequest, parts_with, patient_pool
from tests.adapters.scalers.aws_api import AwsApi
from tests.adapters.scalers.git_api import FILE_TABLE, GitApi
from tests.adapters.scalers.jobs import FakeJobs, job
from tests.adapters.scalers.kubernetes_api import DEPLOYMENT, HPA, SCALE_SET, Document, KubernetesApi
from tests.answering import answering
from tests.fakes import FakeScaler

POOL, PLACE = "linux", '[pool."linux".scaler]'
FLEET = """#!/bin/sh
# fleet size | fleet resize TARGET ACT: keeps its size in a file, takes one target per act, at most 40.
cd "{folder}"
[ ! -e forbidden ] || { echo "connecting" >&2; echo "fleet: permission denied" >&2; exit 77; }
case $1 in
size) echo "{\\"current\\": $(cat size), \\"min\\": 0, \\"max\\": 40}" ;;
resize)
  [ "$2" -le 40 ] || { echo "fleet: the most is 40" >&2; exit 1; }
  [ -e "act-$3" ] || { echo "$2" > size; : > "act-$3"; }
  [ ! -e silent ] || sleep 60 ;;
esac
"""


@dataclass
class World:
    scaler: Scaler
    level: Callable[[], int]
    """What is really set."""
    moved: Callable[[int], None] = lambda level: None
    """Somebody else sets another level."""
    silent: Callable[[], None] = lambda: None
    """From now on changes are made, and their answers are lost."""
    forbidden: Callable[[], None] = lambda: None
    """From now on nothing is allowed."""
    most: int | None = 40
    """The back end's own limit."""
    lowers: bool = True


@dataclass
class HomeGrown:
    current: int = 10
    acts: list[str] = field(default_factory=list)
    state: str = ""

    def answer(self, request: SentRequest) -> tuple[int, object]:
        if self.state == "forbidden":
            return 403, {"error": "not you"}
        if request.method == "GET":
            return 200, {"current": self.current, "min": 0, "max": 40}
        if request.body["desired"] > 40:
            return 422, {"error": "the most is 40"}
        if request.headers["idempotency-key"] not in self.acts:
            self.current = request.body["desired"]
            self.acts.append(request.headers["idempotency-key"])
        if self.state == "silent":
            raise httpx.ReadError("the connection was cut")
        return 200, {}


@asynccontextmanager
async def world_of(kind: str, folder: Path) -> AsyncIterator[World]:
    async with AsyncExitStack() as stack:
        wire = await stack.enter_async_context(patient_pool())
        parts = replace(parts_with(wire, {"TOKEN": "cluster-token"}), jobs=FakeJobs(*map(job, range(30))))
        yield await {
            "http": _http,
            "aws_asg": _aws_asg,
            "github_aws_runners": _github_aws_runners,
            "kubernetes": _kubernetes,
            "kubernetes field": _field,
            "github_file": _github_file,
            "arc": _arc,
            "command": _command,
            "fake": _fake,
        }[kind](parts, stack, folder)


async def _http(parts: BuildContext, stack: AsyncExitStack, folder: Path) -> World:
    grown = HomeGrown()
    back = BackEnd(answer=grown.answer)
    scaler, _ = http_scaler.build(POOL, PLACE, {"kind": "http", "url": URL, "max": 50}, back.parts())

    def state(word: str) -> Callable[[], None]:
        return lambda: setattr(grown, "state", word)

    return World(
        scaler,
        lambda: grown.current,
        lambda level: setattr(grown, "current", level),
        state("silent"),
        state("forbidden"),
    )


async def _fake(parts: BuildContext, stack: AsyncExitStack, folder: Path) -> World:
    fake = FakeScaler(10, 0, 40)
    script = fake.script
    return World(
        fake,
        lambda: fake.current or 0,
        lambda level: setattr(fake, "current", level),
        lambda: script.fail("set", Failure.UNKNOWN, after=True),
        lambda: script.fail("*", Failure.CREDENTIALS, times=None),
    )


async def _aws_asg(parts: BuildContext, stack: AsyncExitStack, folder: Path) -> World:
    api = AwsApi()
    url = await stack.enter_async_context(answering(api.endpoint))
    raw = {"kind": "aws_asg", "group": "ci-linux", "region": "us-east-1", "endpoint_url": url, "max": 50}
    return World(
        aws_asg.build(POOL, PLACE, raw, parts)[0],
        lambda: api.desired,
        lambda level: setattr(api, "desired", level),
        lambda: api.faults.update(SetDesiredCapacity="silent"),
        lambda: api.faults.update(dict.fromkeys(("DescribeAutoScalingGroups", "SetDesiredCapacity"), "AccessDenied")),
    )


async def _github_aws_runners(parts: BuildContext, stack: AsyncExitStack, folder: Path) -> World:
    api = AwsApi()
    url = await stack.enter_async_context(answering(api.endpoint))
    raw = {"kind": "github_aws_runners", "queue_url": f"{url}/123456789012/linux", "region": "us-east-1", "max": 50}
    raw |= {"endpoint_url": url, "tags": {"ghr:environment": "ci-linux"}}
    return World(
        github_aws_runners.build(POOL, PLACE, raw, parts)[0],
        lambda: api.instances + len(api.sent),
        lambda level: setattr(api, "instances", level - len(api.sent)),
        lambda: api.faults.update(SendMessageBatch="silent"),
        lambda: api.faults.update(DescribeInstances="UnauthorizedOperation", SendMessageBatch="AccessDenied"),
        lowers=False,
    )


async def _kubernetes(parts: BuildContext, stack: AsyncExitStack, folder: Path) -> World:
    return await _cluster(parts, stack, {}, (DEPLOYMENT, {"replicas": 10}, {"replicas": 10}))


async def _field(parts: BuildContext, stack: AsyncExitStack, folder: Path) -> World:
    more = {
        "resource": "horizontalpodautoscalers",
        "group": "autoscaling",
        "version": "v2",
        "field": "spec.minReplicas",
    }
    raw = {**more, "current_field": "status.currentReplicas", "max_field": "spec.maxReplicas"}
    spec = {"minReplicas": 10, "maxReplicas": 40}
    return await _cluster(parts, stack, raw, (HPA, spec, {"currentReplicas": 10}), 40)


async def _arc(parts: BuildContext, stack: AsyncExitStack, folder: Path) -> World:
    raw = {"kind": "arc", "namespace": "arc-runners", "name": "linux-2xlarge"}
    return await _cluster(parts, stack, raw, (SCALE_SET, {"maxRunners": 10, "minRunners": 2}, {"currentRunners": 10}))


async def _cluster(
    parts: BuildContext,
    stack: AsyncExitStack,
    raw: Document,
    found: tuple[str, Document, Document],
    most: int | None = None,
) -> World:
    api, (path, spec, _) = KubernetesApi(), found
    api.put(*found)
    key = next(iter(spec))
    url = await stack.enter_async_context(answering(api.endpoint))
    usual = {"kind": "kubernetes", "namespace": "ci", "name": "runners", "url": url, "token_env": "TOKEN", "max": 50}
    scaler, _ = SCALERS[raw.get("kind", "kubernetes")](POOL, PLACE, {**usual, **raw}, parts)
    return World(
        scaler,
        lambda: int(str(api.objects[path]["spec"][key])),
        lambda level: api.change(path, {"spec": {key: level}}),
        lambda: setattr(api, "silent", True),
        lambda: setattr(api, "verbs", frozenset()),
        most,
    )


async def _github_file(parts: BuildContext, stack: AsyncExitStack, folder: Path) -> World:
    api = GitApi()
    url = await stack.enter_async_context(answering(api.endpoint))
    parts = parts_with(parts.wire, {"TOKEN": api.token})
    scaler, _ = SCALERS["github_file"](POOL, PLACE, {**FILE_TABLE, "url": url, "by": "commit"}, parts)
    return World(
        scaler,
        lambda: api.number,
        api.set_by_others,
        lambda: setattr(api, "silent", True),
        lambda: setattr(api, "permissions", frozenset()),
        most=None,
    )


async def _command(parts: BuildContext, stack: AsyncExitStack, folder: Path) -> World:
    program, size = write_fleet(folder), folder / "size"
    raw = {"kind": "command", "read": [program, "size"], "set": [program, "resize", "{target}", "{act}"], "max": 50}

    def moved(level: int) -> None:
        size.write_text(str(level))

    return World(
        command.build(POOL, PLACE, {**raw, "timeout": "2s"}, parts)[0],
        lambda: int(size.read_text()),
        moved,
        (folder / "silent").touch,
        (folder / "forbidden").touch,
    )


def write_fleet(folder: Path) -> str:
    program = folder / "fleet"
    program.write_text(FLEET.replace("{folder}", str(folder)))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    (folder / "size").write_text("10")
    return str(program)
