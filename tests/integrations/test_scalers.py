"""The pages of the scalers: each configuration through the doctor, the good case and each failure with its remedy."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from bot.adapters.registry import SCALERS
from handlers.doctor.findings import CheckFinding, Level
from tests.adapters.back_end import parts_with, patient_pool
from tests.adapters.scalers.aws_api import AwsApi
from tests.adapters.scalers.git_api import GitApi
from tests.adapters.scalers.jobs import FakeJobs, job
from tests.adapters.scalers.kubernetes_api import DEPLOYMENT, HPA, SCALE_SET, KubernetesApi
from tests.answering import answering
from tests.integrations.checking import actions_of, blocks, checked, line_of, only

pytestmark = pytest.mark.usefixtures("made_up_aws")

HRA = "/apis/actions.summerwind.dev/v1alpha1/namespaces/ci/horizontalrunnerautoscalers/runners"
KEDA = "/apis/keda.sh/v1alpha1/namespaces/ci/scaledobjects/runners"
NODES = "/apis/karpenter.sh/v1/nodepools/ci"
REGION, BRANCH, ARC = 'region = "us-east-1"\n', 'branch = "main"\n', 'namespace = "arc-runners"\n'
PROGRAM = "/usr/local/bin/fleet"
PROBLEM, WARNING = Level.PROBLEM, Level.WARNING
GROUPS, GAR = "DescribeAutoScalingGroups", "github-aws-runners"
REVIEWED = {
    "arc": ("actions.github.com", "autoscalingrunnersets", "arc-runners", "linux-2xlarge"),
    "kubernetes": ("apps", "deployments", "ci", "runners"),
}
"""Group, resource, namespace and name that the cluster is asked about."""
READ, TRIED = "only read access was tested", "Tailback may scale it; nothing was changed"


@dataclass
class HomeGrown:
    """An autoscaler that knows one token and one pool."""

    answer: Response = field(default_factory=lambda: JSONResponse({"current": 10, "min": 0, "max": 40}))

    async def endpoint(self, request: Request) -> Response:
        assert request.url.path == "/pools/linux"
        if request.headers.get("authorization") != "Bearer scaler-token-1":
            return JSONResponse({"error": "who are you?"}, 401)
        return self.answer if request.method == "GET" else JSONResponse({"error": "nothing was to be set"}, 500)


@dataclass
class Program(HomeGrown):
    """A program that is only read, with the pool's name."""

    script: str = "echo 10"

    def write(self, program: Path) -> None:
        program.write_text(f'#!/bin/sh\n[ "$1 $2" = "size linux" ] || exit 9\n{self.script}\n')
        program.chmod(0o700)


Endpoint = HomeGrown | AwsApi | GitApi | KubernetesApi
"""What stands in for a back end."""


def cluster() -> KubernetesApi:
    """A scale set of at most 10, a deployment of 10, and an object for each field of the page, as in its CRD."""
    made = KubernetesApi()
    made.put(SCALE_SET, {"minRunners": 2, "maxRunners": 10}, {"currentRunners": 9})
    made.put(DEPLOYMENT, {"replicas": 10}, {"replicas": 10})
    made.put(HPA, {"minReplicas": 2, "maxReplicas": 60}, {"currentReplicas": 9, "desiredReplicas": 9})
    made.put(KEDA, {"minReplicaCount": 3, "maxReplicaCount": 60}, {"originalReplicaCount": 1})
    made.put(HRA, {"minReplicas": 4, "maxReplicas": 60}, {"desiredReplicas": 8})
    made.put(NODES, {"limits": {"cpu": "200"}}, {"resources": {"cpu": "28"}})
    return made


@dataclass(frozen=True, slots=True)
class Page:
    """How a page is tried."""

    made: Callable[[], Endpoint]
    there: Callable[[str, Path], dict[str, str]]
    """Address of the stand-in, folder → what leads the page's configuration there."""
    fine: str
    """What the doctor says of the good case."""
    variables: Mapping[str, str] = field(default_factory=dict)


def with_token(*lines: str) -> Callable[[str, Path], dict[str, str]]:
    """A token file as in the cluster, named behind these lines."""
    return lambda url, folder: {line: f'{line}url = "{url}"\ntoken_file = "{folder / "token"}"\n' for line in lines}


TEN = "linux: 10 runners now, at most 40; "
TABLE = {
    "http": Page(
        HomeGrown, lambda url, _: {"http://localhost:9100": url}, TEN + READ, {"SCALER_TOKEN": "scaler-token-1"}
    ),
    "aws": Page(AwsApi, lambda url, _: {REGION: f'{REGION}endpoint_url = "{url}"\n'}, TEN + READ),
    "github-aws-runners": Page(
        AwsApi,
        lambda url, _: {REGION: f'{REGION}endpoint_url = "{url}"\n', "https://sqs.us-east-1.amazonaws.com": url},
        f"linux.2xlarge: 10 runners now, at most 40; {READ}",
    ),
    "arc": Page(cluster, with_token(ARC), f"linux-2xlarge: 9 runners now, at most 40; {TRIED}"),
    "kubernetes": Page(cluster, with_token('namespace = "ci"\n', 'name = "ci"\n'), TEN + TRIED),
    "command": Page(
        Program, lambda _, folder: {PROGRAM: str(folder / "fleet"), 'timeout = "8s"': 'timeout = "2s"'}, TEN + READ
    ),
    "github-file": Page(
        GitApi,
        lambda url, _: {BRANCH: f'{BRANCH}url = "{url}"\n'},
        TEN + TRIED,
        {"TAILBACK_GIT_TOKEN": "made-up-token"},
    ),
}


async def all_found(
    page: str, folder: Path, api: Endpoint | None = None, instead: Mapping[str, str] | None = None, **variables: str
) -> list[CheckFinding]:
    """What the doctor says of the pools of a page's configuration against a stand-in."""
    tried = TABLE[page]
    made = api or tried.made()
    (folder / "token").write_text("cluster-token")
    if isinstance(made, Program):
        made.write(folder / "fleet")
    async with answering(made.endpoint) as url:
        texts = {**tried.there(url, folder), **(instead or {})}
        found = await checked(page, folder, texts, {**tried.variables, **variables})
    return [one for one in found if one.area == "scaler"]


@pytest.mark.parametrize("page", ["http", "aws", "github-aws-runners", "arc", "kubernetes", "command", "github-file"])
async def test_the_configuration_of_the_page_works(page: str, tmp_path: Path) -> None:
    """Nothing is changed: where the back end can say so, it is asked whether that would be allowed."""
    made = TABLE[page].made()
    before = dict(made.branches) if isinstance(made, GitApi) else {}
    one = (await all_found(page, tmp_path, made))[0]
    assert (one.state, one.text) == (Level.OK, TABLE[page].fine)
    if isinstance(made, KubernetesApi):
        group, resource, namespace, name = REVIEWED[page]
        scale = {"subresource": "scale"} if page == "kubernetes" else {}
        wanted = {"group": group, "resource": resource, "namespace": namespace, "name": name, **scale}
        assert {"verb": "patch", **wanted} in made.reviews
        assert made.patches == []
    if isinstance(made, GitApi):
        assert (made.branches, made.pulls) == (before, [])
    if isinstance(made, AwsApi):
        reads = {"aws": {"DescribeAutoScalingGroups", "DescribeScalingActivities"}}
        assert {action for action, _ in made.requests} == reads.get(page, {"DescribeInstances", "GetQueueAttributes"})


async def test_a_pool_without_a_lever_is_in_order(tmp_path: Path) -> None:
    one = only(await checked("none", tmp_path, {}), "scaler")
    assert (one.state, one.text) == (Level.OK, "macos-m1 is scaled manually")


async def test_other_forms_of_the_pages_work(tmp_path: Path) -> None:
    """A program may print a document, and a file may be changed by commits."""
    document = Program(script="""echo '{"current": 10, "min": 0, "max": 40, "desired": 10}'""")
    assert (await all_found("command", tmp_path, document))[0].text == TEN + READ
    by_commit = {'by = "pull_request"': 'by = "commit"'}
    assert (await all_found("github-file", tmp_path, instead=by_commit))[0].text == TEN + TRIED


def answers(body: object, status: int = 200, **headers: str) -> HomeGrown:
    return HomeGrown(JSONResponse(body, status, headers))


def fails(action: str, code: str) -> AwsApi:
    return AwsApi(faults={action: code})


def changed(
    spec: Mapping[str, Any] | None = None, status: Mapping[str, Any] | None = None, **parts: Any
) -> KubernetesApi:
    """The cluster, with other figures of its scale set."""
    made = replace(cluster(), **parts)
    made.change(SCALE_SET, {"spec": spec or {}, "status": status or {}})
    return made


def without(permission: str) -> GitApi:
    return GitApi(permissions=GitApi().permissions - {permission})


@pytest.mark.parametrize(
    ("page", "wrong", "state", "text", "remedy"),
    [
        ("http", answers({"error": "not yours"}, 403), PROBLEM, "(HTTP 403): not yours", "and its permissions"),
        ("http", answers({"error": "no pool"}, 404), PROBLEM, "reading its size (HTTP 404): no pool", "correct [pool"),
        ("http", answers({"size": 10}), PROBLEM, "its answer to GET is no size", 'let it be like {"current"'),
        ("http", answers({"error": "is down"}, 502), PROBLEM, "failed (HTTP 502): is down", "check again in a minute"),
        ("http", answers({}, 301, Location="/x"), PROBLEM, "answered with a redirect", "the final address"),
        ("http", answers({"current": 10, "max": 30}), WARNING, "max is 40, but the autoscaler allows 30", ""),
        ("aws", AwsApi(group="another"), PROBLEM, "no Auto Scaling group ci-linux in us-east-1", "correct `group`"),
        ("aws", fails(GROUPS, "AccessDenied"), PROBLEM, "", f"allow autoscaling:{GROUPS} to Tailback's role"),
        ("aws", fails(GROUPS, "InvalidClientTokenId"), PROBLEM, "refused the credentials (InvalidClientTokenId)", ""),
        ("aws", fails(GROUPS, "Throttling"), PROBLEM, "AWS asks to wait (Throttling)", ""),
        ("aws", AwsApi(most=20), WARNING, "allows 20 (MaxSize of Auto Scaling group ci-linux)", ""),
        ("aws", AwsApi(there=4, failure="Quota exceeded."), WARNING, "linux: Quota exceeded.", ""),
        ("aws", AwsApi(weight="4"), PROBLEM, "counts weights, not instances", "use a group without weights"),
        (GAR, fails("DescribeInstances", "UnauthorizedOperation"), PROBLEM, "", "allow ec2:DescribeInstances to Tail"),
        (GAR, fails("GetQueueAttributes", "AccessDenied"), PROBLEM, "", "allow sqs:GetQueueAttributes to Tailback's"),
        (GAR, fails("GetQueueAttributes", "QueueDoesNotExist"), PROBLEM, "GetQueueAttributes (QueueDoesNotExist)", ""),
        (GAR, fails("DescribeInstances", "RequestLimitExceeded"), PROBLEM, "to wait (RequestLimitExceeded)", ""),
        ("arc", {'lever = "max"': 'lever = "min"'}, WARNING, "allows 10 (spec.maxRunners of linux-2xlarge)", ""),
        ("arc", changed(status={"failedEphemeralRunners": 3}), WARNING, "3 failed runners, counted until deleted", ""),
        ("arc", {'name = "linux-2xlarge"': 'name = "linux"'}, PROBLEM,
         "linux in namespace arc-runners could not be read (HTTP 404)", ""),
        ("arc", changed({"maxRunners": None}), PROBLEM, "", 'no cap holds it back, so set `lever = "min"`'),
        ("arc", changed(verbs=frozenset()), PROBLEM, "forbidden",
         "Tailback needs get and patch on autoscalingrunnersets in namespace arc-runners"),
        ("kubernetes", changed(token="of-another-cluster"), PROBLEM, "the credentials (HTTP 401): Unauthorized", ""),
        ("kubernetes", {'name = "runners"\nmax': 'name = "runnerz"\nmax'}, PROBLEM,
         "runnerz in namespace ci could not be read (HTTP 404)", ""),
        ("kubernetes", changed(verbs=frozenset()), PROBLEM, "forbidden",
         "Tailback needs get and patch on deployments/scale in namespace ci"),
        ("kubernetes", changed(verbs=frozenset({"GET"})), PROBLEM, "linux: runners may be read and not changed",
         "Tailback needs get and patch on deployments/scale in namespace ci"),
        ("command", Program(script="echo 'permission denied' >&2; exit 77"), PROBLEM,
         "exit code 77: permission denied when its size was", ""),
        ("command", Program(script="echo about ten"), PROBLEM,
         'it must print a number or {"current": 10, "min": 0, "max": 40}, but prints: about ten', ""),
        ("command", Program(script="true"), PROBLEM, "but prints: nothing", ""),
        ("command", Program(script="sleep 60"), PROBLEM, "did not end within 2 s and was stopped", "again in a minute"),
        ("github-file", GitApi(token="of-somebody-else"), PROBLEM, "refused the credentials (HTTP 401", ""),
        ("github-file", {"main.tfvars": "gone.tfvars"}, PROBLEM, "shows no runners/gone.tfvars on branch main", ""),
        ("github-file", {"^linux_max": "_max"}, PROBLEM, "pattern matches 2 places", ""),
        ("github-file", without("contents=write"), PROBLEM, "", "give the credentials the permission contents=write"),
        ("github-file", without("pull_requests=write"), PROBLEM, "", "credentials the permission pull_requests=write"),
    ],
)  # fmt: skip
async def test_each_failure_is_told_with_its_remedy(  # noqa: PLR0917 - the columns of the table above
    page: str, wrong: Endpoint | dict[str, str], state: Level, text: str, remedy: str, tmp_path: Path
) -> None:
    """A back end that answers so, or other text in the page's configuration."""
    api, instead = (None, wrong) if isinstance(wrong, dict) else (wrong, {})
    one = (await all_found(page, tmp_path, api, instead))[0]
    assert one.state is state
    assert text in one.text
    assert one.remedy
    assert remedy in one.remedy


async def test_what_is_not_there_or_not_known_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong token and no credentials, an address and a path of nobody, a machine outside of the cluster."""
    (wrong,) = await all_found("http", tmp_path, SCALER_TOKEN="another-token-1")
    assert "refused the credentials (HTTP 401): who are you?" in wrong.text
    assert 'the token that [pool."linux".scaler] names' in wrong.remedy
    assert "another-token-1" not in line_of(wrong)
    nowhere = await checked("http", tmp_path, {"localhost:9100": "127.0.0.1:9"}, {"SCALER_TOKEN": "x" * 20})
    assert "cannot be reached" in only(nowhere, "scaler").text
    gone = only(await checked("command", tmp_path, {PROGRAM: str(tmp_path / "none")}), "scaler")
    assert "cannot be started (No such file or directory); install it, or correct its path and mode" in line_of(gone)
    outside = next(one for one in await checked("kubernetes", tmp_path, {}) if one.area == "scaler")
    assert (outside.state, "or set token_env, ca_file and url" in line_of(outside)) == (PROBLEM, True)
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    (poor,) = await all_found("aws", tmp_path)
    assert "AWS credentials" in poor.text
    assert "AWS_PROFILE" in line_of(poor)


async def test_each_field_of_the_page_on_kubernetes_is_read_and_its_owner_named(tmp_path: Path) -> None:
    """A field that nobody manages may be changed; the review names the object itself, also without a namespace."""
    api = cluster()
    fields = [f"hpa: 9 runners now, at most 40; {TRIED}", f"keda: 3 runners now, at most 40; {TRIED}"]
    fields += [f"hra: 8 runners now, at most 40; {TRIED}", f"nodes: 7 runners now, at most 100; {TRIED}"]
    assert [one.text for one in (await all_found("kubernetes", tmp_path, api))[1:]] == fields
    assert {"verb": "patch", "group": "karpenter.sh", "resource": "nodepools", "name": "ci"} in api.reviews
    api.managers = {"helm": {"f:spec": {"f:minReplicas": {}}}}
    owned = (await all_found("kubernetes", tmp_path, api))[1]
    assert (owned.state, owned.text) == (PROBLEM, "Scaler of hpa: spec.minReplicas of runners belongs to helm")
    assert "let its owner give the field up" in owned.remedy


async def test_a_cluster_that_does_not_say_is_not_taken_for_one_that_refuses(tmp_path: Path) -> None:
    unsure = (await all_found("kubernetes", tmp_path, changed(verbs=frozenset({"GET"}), reviews_refused=True)))[0]
    assert (unsure.state, unsure.text) == (Level.OK, TEN + READ)


@pytest.mark.parametrize(
    ("page", "raw"),
    [
        ("aws", {"kind": "aws_asg", "group": "ci-linux"}),
        ("github-aws-runners", {"kind": "github_aws_runners", "tags": {"a": "b"}}),
    ],
)
async def test_the_policy_of_the_page_allows_what_is_called_and_no_more(page: str, raw: dict[str, Any]) -> None:
    """Least permission, by what the stand-in was really asked; sending a batch needs the right to send."""
    api = AwsApi()
    async with answering(api.endpoint) as url, patient_pool() as wire:
        raw |= {"region": "us-east-1", "endpoint_url": url, "max": 40}
        raw |= {"queue_url": f"{url}/1/linux"} if page == "github-aws-runners" else {}
        parts = replace(parts_with(wire), jobs=FakeJobs(job(1)))
        scaler, _ = SCALERS[raw["kind"]]("linux", "[x]", raw, parts)
        await scaler.read()
        await scaler.set(11, "act-1")
    called = {action.removesuffix("Batch") for action, _ in api.requests}
    assert {action.partition(":")[2] for action in actions_of(page)} == called


@pytest.mark.parametrize(
    ("page", "rule"),
    [
        ("kubernetes", ("apiGroups: [apps]", "resources: [deployments/scale]", "resourceNames: [runners]")),
        ("arc", ("apiGroups: [actions.github.com]", "resources: [autoscalingrunnersets]", "Names: [linux-2xlarge]")),
    ],
)
def test_the_role_on_the_page_has_two_verbs_on_one_object(page: str, rule: tuple[str, ...]) -> None:
    """Least permission, as the configuration above it needs it."""
    block = blocks(page, "yaml")[0]
    assert [line for line in (*rule, "verbs: [get, patch]") if block.count(line) != 1] == []
