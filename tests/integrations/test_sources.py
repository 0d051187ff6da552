"""The pages of the metrics sources: each configuration through the doctor, the good case and each failure."""

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from handlers.doctor.findings import CheckFinding, Level
from tests.adapters.github.standin import LABEL, ORG, REPO, TOKEN, GitHubStandIn
from tests.adapters.scalers.aws_api import AwsApi
from tests.answering import answering
from tests.ci_systems import PAGE, Reply, buildkite, gitlab, hud, jenkins
from tests.integrations.checking import actions_of, blocks, checked, line_of, only
from tests.machines import POOL, KubernetesLists, runner

pytestmark = pytest.mark.usefixtures("made_up_aws")

METRICS, QUEUE = "/v3/metrics", "/queue/api/json"
QUERIES, APP = "/api/clickhouse", "/api/v4/projects/team%2Fapp"
REGION, SPACE, TOKEN_ENV = 'region = "us-east-1"\n', 'namespace = "arc-runners"\n', 'token_env = "GITHUB_TOKEN"'
NOT_FOUND = {"message": "404 Not Found"}
PROBLEM, WARNING = Level.PROBLEM, Level.WARNING


def github() -> GitHubStandIn:
    """It goes by the doctor's own clock."""
    made = GitHubStandIn(2_000_000_000.0)
    made.runner(LABEL)
    made.job(made.run(1), 11)
    return made


def prometheus() -> AbstractAsyncContextManager[str]:
    """A Prometheus in which twelve jobs wait (the shape of /api/v1/query)."""

    async def answer(request: Request) -> Response:
        at = float(request.query_params["time"])
        row = {"metric": {}, "value": [at, str(at) if "timestamp" in request.query_params["query"] else "12"]}
        return JSONResponse({"status": "success", "data": {"resultType": "vector", "result": [row]}})

    return answering(answer)


@dataclass(frozen=True, slots=True)
class Tried:
    """How a page is tried: a stand-in, what leads the page's configuration to it, and its tokens."""

    system: Callable[[], Any]
    there: Callable[[str], dict[str, str]]
    tokens: Mapping[str, str]
    fine: str
    """How the finding of the good case begins."""


TRIED = {
    "buildkite": Tried(
        buildkite,
        lambda url: {'kind = "buildkite"': f'kind = "buildkite"\nurl = "{url}/v3"\napi_url = "{url}/graphql"'},
        {"BUILDKITE_AGENT_TOKEN": "agent-token-1", "BUILDKITE_API_TOKEN": "api-token-1"},
        "default: 3 jobs queued, longest wait ",
    ),
    "gitlab": Tried(
        gitlab,
        lambda url: {"https://gitlab.com": url},
        {"GITLAB_TOKEN": "gitlab-token-1"},
        "linux: 3 jobs queued, longest wait 1 h 54 min",
    ),
    "hud": Tried(
        lambda: hud(datetime.now(UTC).isoformat()),
        lambda url: {'kind = "hud"': f'kind = "hud"\nurl = "{url}"'},
        {"HUD_TOKEN": "hud-token-1"},
        "linux.2xlarge: 7 jobs queued, longest wait 2 h 10 min",
    ),
    "jenkins": Tried(
        jenkins,
        lambda url: {"https://jenkins.example.com": url},
        {"JENKINS_LOGIN": "bot:jenkins-token-1"},
        "linux: 2 jobs queued, longest wait ",
    ),
    "github": Tried(
        github,
        lambda url: {'kind = "github"': f'kind = "github"\nurl = "{url}"'},
        {"GITHUB_TOKEN": TOKEN},
        f"{LABEL}: 1 job queued,",
    ),
    "ec2-auto-scaling": Tried(AwsApi, lambda url: {REGION: f'{REGION}endpoint_url = "{url}"\n'}, {}, "linux: 12 jobs"),
    "cloudwatch": Tried(AwsApi, lambda url: {REGION: f'{REGION}endpoint_url = "{url}"\n'}, {}, ""),
    "kubernetes-events": Tried(
        lambda: KubernetesLists([runner("a", 1_700_000_000.0, POOL, ready=True)]),
        lambda url: {SPACE: f'{SPACE}url = "{url}"\ntoken_env = "K8S_TOKEN"\n'},
        {"K8S_TOKEN": "cluster-token"},
        "linux: 12 jobs",
    ),
}
BESIDE_A_QUEUE = {"ec2-auto-scaling", "cloudwatch", "kubernetes-events"}
"""Pages of sources that know machines and no jobs; Prometheus knows the queue."""


@dataclass(frozen=True, slots=True)
class Wrong:
    """What is not as it should be."""

    answers: Mapping[str, Reply] = field(default_factory=dict)
    """Path → what the stand-in answers there."""
    state: Mapping[str, object] = field(default_factory=dict)
    """Attributes of the stand-in."""
    instead: Mapping[str, str] = field(default_factory=dict)
    """Text of the page's configuration → what is written in its place."""
    tokens: Mapping[str, str] = field(default_factory=dict)
    """Variable → another value; empty: it is not set."""


def answers(path: str, body: object, status: int = 200) -> Wrong:
    return Wrong(answers={path: Reply(body, status)})


def has(**state: object) -> Wrong:
    return Wrong(state=state)


def writes(text: str, other: str) -> Wrong:
    return Wrong(instead={text: other})


def knows(**tokens: str) -> Wrong:
    return Wrong(tokens=tokens)


async def found(page: str, folder: Path, wrong: Wrong, system: Any = None) -> list[CheckFinding]:
    """What the doctor says of the page's configuration against a stand-in."""
    tried = TRIED[page]
    at = system or tried.system()
    for name, value in wrong.state.items():
        setattr(at, name, value)
    if wrong.answers:
        at.paths.update(wrong.answers)
    tokens = {name: value for name, value in {**tried.tokens, **wrong.tokens}.items() if value}
    async with at.serving() if page == "github" else at.url() as url, prometheus() as queue:
        queues = {"http://localhost:9090": queue} if page in BESIDE_A_QUEUE else {}
        return await checked(page, folder, {**tried.there(url), **queues, **wrong.instead}, tokens)


@pytest.mark.parametrize("page", ["buildkite", "gitlab", "hud", "jenkins", "github", "ec2-auto-scaling"])
async def test_the_configuration_of_the_page_works(page: str, tmp_path: Path) -> None:
    """Jobs and the longest wait, as the doctor reads them."""
    one = only(await found(page, tmp_path, Wrong()), "metrics")
    assert one.state is Level.OK
    assert one.text.startswith(TRIED[page].fine)


@pytest.mark.parametrize(
    ("page", "wrong", "state", "text", "remedy"),
    [
        ("buildkite", answers(METRICS, PAGE), PROBLEM, "answered with a web page", ""),
        ("buildkite", answers(METRICS, NOT_FOUND, 404), PROBLEM, "has no /metrics (HTTP 404)", ""),
        ("buildkite", answers(METRICS, {}), PROBLEM, "has no jobs and agents", "check url"),
        ("buildkite", answers(METRICS, {"message": "slow down"}, 429), PROBLEM, "limits the rate of requests", ""),
        ("gitlab", answers(f"{APP}/jobs", NOT_FOUND, 404), PROBLEM, "has no project team/app", "correct projects"),
        ("gitlab", answers(f"{APP}/jobs", {"message": "no scope"}, 403), PROBLEM, "no scope", "and its permissions"),
        ("gitlab", answers(f"{APP}/jobs", {}, 429), PROBLEM, "limits the rate", "check again in a minute"),
        ("gitlab", answers(f"{APP}/jobs", PAGE), PROBLEM, "web page", "check url"),
        ("gitlab", answers(f"{APP}/runners", {}, 403), WARNING, "no value for busy", "fix the settings in"),
        ("hud", answers(f"{QUERIES}/queued_jobs", PAGE, 403), PROBLEM, "web page", "name a token that HUD accepts"),
        ("hud", answers(f"{QUERIES}/queued_jobs", {}, 404), PROBLEM, "has no query queued_jobs", "check url and"),
        ("hud", answers(f"{QUERIES}/queued_jobs", {"error": "down"}, 500), PROBLEM, "(HTTP 500): down", "in a minute"),
        ("hud", answers(f"{QUERIES}/queued_jobs_aggregate", {}, 504), PROBLEM,
         "what other repositories queue is unknown", "fix the settings"),
        ("jenkins", answers(QUEUE, PAGE, 403), PROBLEM, "refused the credentials (HTTP 403)", "[metrics.jenkins]"),
        ("jenkins", answers(QUEUE, PAGE), PROBLEM, "answered with a web page", "check url"),
        ("jenkins", answers(QUEUE, {}, 404), PROBLEM, "has no /queue/api/json (HTTP 404)", "correct [metrics.jenkins]"),
        ("jenkins", answers(QUEUE, {"hello": 1}), PROBLEM, "is not that of Jenkins", "check url"),
        ("jenkins", answers(QUEUE, {"items": [], "discoverableItems": [{}]}), PROBLEM,
         "hides queued jobs from this user", "give it Job/Read"),
        ("buildkite", knows(BUILDKITE_AGENT_TOKEN="wrong"), PROBLEM,
         "default: Buildkite (buildkite): refused the credentials (HTTP 401)", ""),
        ("buildkite", knows(BUILDKITE_API_TOKEN="wrong"), WARNING,
         "oldest_wait_seconds (refused the credentials (HTTP 401)", ""),
        ("gitlab", knows(GITLAB_TOKEN="wrong"), PROBLEM, "refused the credentials (HTTP 401)", "[metrics.gitlab]"),
        ("hud", knows(HUD_TOKEN="wrong"), PROBLEM, "refused the credentials", "[metrics.hud]"),
        ("hud", knows(HUD_TOKEN=""), PROBLEM, "HUD_TOKEN", ""),
        ("jenkins", knows(JENKINS_LOGIN="bot:wrong"), PROBLEM, "refused the credentials (HTTP 401)", ""),
        ("jenkins", knows(JENKINS_LOGIN="wrong"), PROBLEM, "JENKINS_LOGIN must hold user:token", ""),
        ("buildkite", writes('api_token_env = "BUILDKITE_API_TOKEN"\n', ""), WARNING,
         "oldest_wait_seconds (the agent token does not show single jobs)", "name an API token"),
        ("buildkite", writes('"default"', '"defualt"'), PROBLEM, 'no queue "defualt"', "scales_to_zero"),
        ("gitlab", writes('["linux", "docker"]', '["lniux"]'), PROBLEM,
         "no runner carries the tags lniux and no job asks for them", "correct tags"),
        ("hud", writes("linux.2xlarge", "linux.2xl"), PROBLEM, "correct known_as (alike are linux.2xlarge)", ""),
        ("hud", writes('_env = "HUD_TOKEN"', '_env = "HUD_TOKEN"\norganizations = ["pytorhc"]'), WARNING,
         "has no /api/runners/pytorhc (HTTP 404)", ""),
        ("jenkins", writes('"linux"', '"lniux"'), PROBLEM,
         'neither a node nor a cloud of Jenkins has the label "lniux"', "correct label"),
        ("github", knows(GITHUB_TOKEN="ghp_wrong_0123456789"), PROBLEM,
         "refused the credentials (HTTP 401: Bad credentials); put a valid token into GITHUB_TOKEN", ""),
        ("github", has(denied=["/actions/runners"]), WARNING,
         "give the credentials the permission organization_self_hosted_runners=read", ""),
        ("github", has(denied=["/actions/runs"]), PROBLEM, "give the credentials the permission actions=read", ""),
        ("github", writes(ORG, "exmaple"), PROBLEM, "there is no organisation exmaple", ""),
        ("github", writes(REPO, f"{ORG}/nope"), PROBLEM, f"there is no repository {ORG}/nope", ""),
        ("github", writes(f'label = "{LABEL}"', 'label = "linux.2xlrage"'), WARNING,
         "no runner carries linux.2xlrage now); correct it, unless the pool is scaled to zero", ""),
        ("github", has(says=[(429, {"retry-after": "60"}, "slow down")]), PROBLEM,
         "limits the rate of requests (HTTP 429: slow down)); nothing is asked before", ""),
        ("github", writes(TOKEN_ENV, 'app_id = 4242\ninstallation_id = 77\nprivate_key_env = "GITHUB_TOKEN"'), PROBLEM,
         "GITHUB_TOKEN does not hold a private key (PEM)", ""),
        ("github", has(says=[(200, {}, "")] * 9), PROBLEM, "check that url is the address of GitHub's REST API", ""),
        ("ec2-auto-scaling", has(faults={"DescribeAutoScalingGroups": "AccessDenied"}), WARNING, "AWS does not allow",
         "allow autoscaling:DescribeAutoScalingGroups to Tailback's role"),
        ("ec2-auto-scaling", has(faults={"DescribeScalingActivities": "AccessDenied"}), WARNING, "AWS does not allow",
         "allow autoscaling:DescribeScalingActivities to Tailback's role"),
        ("cloudwatch", has(faults={"GetMetricData": "AccessDenied"}), WARNING, "AWS does not allow",
         "allow cloudwatch:GetMetricData to Tailback's role"),
        ("kubernetes-events", has(forbidden="ephemeralrunners"), WARNING,
         "allow list on ephemeralrunners in namespace arc-runners to Tailback's service account", ""),
        ("kubernetes-events", has(forbidden="pods"), WARNING,
         "allow list on pods in namespace arc-runners to Tailback's service account", ""),
        ("kubernetes-events", has(forbidden="events"), WARNING,
         "allow list on events in namespace arc-runners to Tailback's service account", ""),
    ],
)  # fmt: skip
async def test_each_failure_is_told_with_its_remedy(  # noqa: PLR0917 - the columns of the table above
    page: str, wrong: Wrong, state: Level, text: str, remedy: str, tmp_path: Path
) -> None:
    """An answer that is none, a token that is not accepted, a name that is not known; what is left still stands."""
    system = TRIED[page].system()
    findings = await found(page, tmp_path, wrong, system)
    (one,) = [it for it in findings if text in line_of(it)]
    assert one.state is state
    assert one.area != "configuration" or system.requests == [], "nobody is asked before the mistake is mended"
    assert one.remedy or one.area == "configuration"
    assert remedy in line_of(one)
    assert sum(it.area == "metrics" for it in findings) <= 1
    assert not [token for token in wrong.tokens.values() if len(token) > 8 and token in line_of(one)]


async def test_old_figures_of_hud_are_called_old(tmp_path: Path) -> None:
    """They would never count as drained."""
    one = only(await found("hud", tmp_path, Wrong(), hud()), "metrics")
    assert one.state is WARNING
    assert "the newest figures are" in one.text


@pytest.mark.parametrize("page", ["ec2-auto-scaling", "cloudwatch"])
async def test_a_page_on_aws_needs_the_actions_of_its_policy_and_no_others(tmp_path: Path, page: str) -> None:
    """CloudWatch has no data yet, which is named as unknown and never as zero."""
    api, no_data = AwsApi(), page == "cloudwatch"
    one = only(await found(page, tmp_path, Wrong(), api), "metrics")
    assert (one.state, one.remedy) == ((WARNING, "correct its name and dimensions") if no_data else (Level.OK, ""))
    asked = {f"{'cloudwatch' if no_data else 'autoscaling'}:{action}" for action, _ in api.requests}
    assert asked | ({"cloudwatch:ListMetrics"} if no_data else set()) == actions_of(page)


async def test_the_page_on_kubernetes_needs_the_rights_of_its_roles_and_no_others(tmp_path: Path) -> None:
    """Rights as `list KIND in NAMESPACE`."""
    roles = list(yaml.safe_load_all(blocks("kubernetes-events", "yaml")[0]))
    lists = TRIED["kubernetes-events"].system()
    one = only(await found("kubernetes-events", tmp_path, Wrong(), lists), "metrics")
    rules = [(role["metadata"]["namespace"], rule) for role in roles for rule in role["rules"]]
    rights = {
        f"{verb} {kind} in {space}" for space, rule in rules for kind in rule["resources"] for verb in rule["verbs"]
    }
    assert (one.state, {*lists.requests}) == (Level.OK, rights)


async def test_before_the_first_start_missing_webhooks_are_a_warning(tmp_path: Path) -> None:
    """Nothing of the installation is wrong then."""
    one = only(await checked("github-webhooks", tmp_path, {}, {}), "metrics")
    assert one.state is WARNING
    assert "the stored webhooks cannot be read here; start Tailback, then check again" in line_of(one)
