"""The table for newcomers: each fleet's configuration, to the letter, against stand-ins, and what it can give."""

import re
import tomllib
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bot.adapters.metrics.several import keys_by_source
from bot.adapters.registry import METRICS
from bot.config import Settings, load
from bot.context.causes import diagnoses, moment_of
from bot.core.incident.observe import Timing
from bot.core.pool.merge import FIGURES
from bot.core.pool.pool import Pool, measured
from bot.diagnosis.rank import possible
from handlers.doctor.check import CheckTargets, examined
from handlers.wiring_tools import check_targets
from tests.adapters.github.standin import LABEL, TOKEN, GitHubStandIn, stamp
from tests.adapters.metrics.test_cloudwatch import CODE, CREATE, Put
from tests.architecture.tree import ROOT
from tests.ci_systems import buildkite, gitlab, hud, jenkins
from tests.generated import same_as_file
from tests.integrations.test_sources import prometheus
from tests.machines import KubernetesLists, runner

pytestmark = pytest.mark.usefixtures("made_up_aws")
PAGE = ROOT / "docs" / "how-to" / "connect-your-fleet.md"
SECRETS = {
    "GITHUB_TOKEN": TOKEN,
    "HUD_TOKEN": "hud-token-1",
    "BUILDKITE_AGENT_TOKEN": "agent-token-1",
    "BUILDKITE_API_TOKEN": "api-token-1",
    "GITLAB_TOKEN": "gitlab-token-1",
    "JENKINS_LOGIN": "bot:jenkins-token-1",
    "K8S_TOKEN": "cluster-token",
}
KEYS = {"metrics", "match", "boot_time", "floor"}
"""Keys of a pool that are Tailback's own."""


def fleets() -> dict[str, str]:
    """Heading → its configuration."""
    sections = re.split(r"^## ", PAGE.read_text("utf-8"), flags=re.MULTILINE)[1:]
    return {one.partition("\n")[0]: one.split("```toml\n")[1].split("```")[0] for one in sections}


def row(name: str, text: str) -> str:
    """Figures and causes of a configuration, by the code."""
    read = tomllib.loads(text)
    (pool, keys), tables = next(iter(read["pool"].items())), read["metrics"]
    names = [keys["metrics"]] if isinstance(keys["metrics"], str) else keys["metrics"]
    own = {key: value for key, value in keys.items() if key not in KEYS}
    given = keys_by_source(pool, {one: METRICS[tables[one]["kind"]] for one in names}, own)
    gives = {one: METRICS[tables[one]["kind"]].can_give("", tables[one], given[one]) for one in names}
    figures = frozenset[str]().union(*gives.values())
    causes = possible(figures | {"queued"})
    anchor = re.sub(r"[^a-z0-9 -]", "", name.lower()).replace(" ", "-")
    named = [f"`{figure}`" for figure in FIGURES if figure in figures]
    sources = ", ".join(f"`{tables[one]['kind']}`" for one in names)
    known = ", ".join(f"`{one}`" for one in causes)
    return f"| [{name}](#{anchor}) | {sources} | {', '.join(named)} | {len(causes)}: {known} |"


def test_the_table_is_the_one_that_the_code_gives() -> None:
    before, mark, rest = PAGE.read_text("utf-8").partition("<!-- fleets -->\n\n")
    after = rest[rest.index("## ") :]
    lines = ["| fleet | sources | figures | causes |", "|---|---|---|---|", *(row(*one) for one in fleets().items())]
    same_as_file(PAGE, before + mark + "\n".join(lines) + f"\n\n{after}")


@pytest.fixture
def cloud(made_up_aws: None, moto_url: str) -> Put:
    return Put(moto_url)


def github() -> GitHubStandIn:
    """Twelve jobs have waited for 40 min, and the only runner is busy."""
    made = GitHubStandIn(datetime.now(UTC).timestamp())
    made.runner(LABEL, busy=True)
    made.job(made.run(1, "in_progress"), 11, "in_progress", started_at=stamp(made.now - 300), runner_name="r1")
    waiting = made.run(2, age=2400)
    for number in range(12):
        made.job(waiting, 20 + number, age=2400)
    return made


def cluster() -> KubernetesLists:
    return KubernetesLists([runner("a", 1_700_000_000.0, "linux", ready=True)])


Led = Callable[[str, str], str]
"""(configuration, address of the stand-in) → the configuration that leads there."""
STAND_INS: Mapping[str, tuple[Callable[[], Any], Led]] = {
    "github": (github, lambda text, url: text.replace('kind = "github"', f'kind = "github"\nurl = "{url}"')),
    "prometheus": (prometheus, lambda text, url: text.replace("http://localhost:9090", url)),
    "hud": (
        lambda: hud(datetime.now(UTC).isoformat()),
        lambda text, url: text.replace('kind = "hud"', f'kind = "hud"\nurl = "{url}"'),
    ),
    "kubernetes_events": (
        cluster,
        lambda text, url: text.replace(
            'namespace = "arc-runners"', f'namespace = "arc-runners"\nurl = "{url}"\ntoken_env = "K8S_TOKEN"'
        ),
    ),
    "buildkite": (
        buildkite,
        lambda text, url: text.replace(
            'kind = "buildkite"', f'kind = "buildkite"\nurl = "{url}/v3"\napi_url = "{url}/graphql"'
        ),
    ),
    "gitlab": (gitlab, lambda text, url: text.replace("https://gitlab.com", url)),
    "jenkins": (jenkins, lambda text, url: text.replace("https://jenkins.example.com", url)),
}


@asynccontextmanager
async def standing(text: str, cloud: Put) -> AsyncIterator[str]:
    """The configuration with the addresses of stand-ins for each kind of source in it."""
    text = text.replace('region = "us-east-1"', f'region = "us-east-1"\nendpoint_url = "{cloud.address}"')
    async with AsyncExitStack() as stack:
        for kind, (made, led) in STAND_INS.items():
            if f'kind = "{kind}"' in text:
                system = made()
                here: AbstractAsyncContextManager[str] = (
                    system if kind == "prometheus" else system.serving() if kind == "github" else system.url()
                )
                text = led(text, await stack.enter_async_context(here))
        yield text


FOUND = {
    "Plain GitHub": "linux.2xlarge: 12 jobs queued, longest wait 40 min",
    "ARC, Prometheus alone": "linux.2xlarge: 12 jobs queued",
    "ARC with GitHub": "linux.2xlarge: 12 jobs queued, longest wait 40 min",
    "ARC with events": "linux.2xlarge: 12 jobs queued",
    "ARC in Kubernetes mode": "linux.2xlarge: 12 jobs queued",
    "github-aws-runners": "linux.2xlarge: 12 jobs queued, longest wait 40 min",
    "PyTorch's HUD": "linux.2xlarge: 7 jobs queued, longest wait 2 h 10 min",
    "PyTorch's ARC fleet": "linux.2xlarge: 7 jobs queued, longest wait 2 h 10 min",
    "Buildkite": "default: 3 jobs queued, longest wait ",
    "GitLab, fixed runners": "linux: 3 jobs queued, longest wait 1 h 54 min",
    "GitLab, autoscaled runners": "linux: 3 jobs queued, longest wait 1 h 54 min",
    "Jenkins, standing nodes": "linux: 2 jobs queued, longest wait ",
    "Jenkins from zero": "pods: 0 jobs queued",
}


def served(cloud: Put) -> None:
    """What CloudWatch has of github-aws-runners (prefix `ci`) while machines come."""
    for name, queue in (("ci-queued-builds", 41), ("ci-queued-builds_dead_letter", 3)):
        cloud.put("AWS/SQS", "ApproximateNumberOfMessagesVisible", queue, QueueName=name)
    cloud.put("AWS/SQS", "ApproximateAgeOfOldestMessage", 1900, QueueName="ci-queued-builds")


def throttled(cloud: Put) -> None:
    served(cloud)
    cloud.put("AWS/Lambda", "Throttles", 9, FunctionName="ci-scale-up")


def sold_out(cloud: Put) -> None:
    """What CloudWatch has of PyTorch's fork (environment `gh-ci`) in a stock-out."""
    space, of = "gh-ci-scaleUp-dim", {"Org": "pytorch", "RunnerType": LABEL}
    cloud.put("AWS/SQS", "ApproximateNumberOfMessagesVisible", 41, QueueName="gh-ci-queued-builds")
    cloud.put("AWS/SQS", "ApproximateAgeOfOldestMessage", 1900, QueueName="gh-ci-queued-builds")
    cloud.put(space, f"{CREATE}.success", 1, 1, **of).put(space, f"{CREATE}.fail", 9, 1, **of)
    cloud.put(space, CODE, 9, Exception="InsufficientInstanceCapacity")


HAS: Mapping[str, Callable[[Put], None]] = {"github-aws-runners": throttled, "PyTorch's HUD": sold_out}
"""What CloudWatch has of a fleet, so that all of its figures are known."""


@asynccontextmanager
async def following(fleet: str, cloud: Put, folder: Path) -> AsyncIterator[tuple[Settings, CheckTargets]]:
    """The instruments of the doctor, as a newcomer runs it, with the configuration of the page."""
    path = folder / "tailback.toml"
    async with standing(fleets()[fleet], cloud) as text:
        path.write_text(f'[slack]\nchannel = "C0CIONCALL"\n{text}')
        settings = load({**SECRETS, "TAILBACK_CONFIG": str(path), "TAILBACK_DATA": str(folder / "data")})
        async with check_targets(settings) as tools:
            yield settings, tools


@pytest.mark.parametrize("fleet", FOUND)
async def test_the_configuration_of_a_fleet_measures_its_queue(fleet: str, cloud: Put, tmp_path: Path) -> None:
    if fleet in HAS:
        HAS[fleet](cloud)
    async with following(fleet, cloud, tmp_path) as (settings, tools):
        findings = await examined(settings, tools)
    texts = [one.text for one in findings if one.area == "metrics"]
    assert [one for one in texts if one.startswith(FOUND[fleet])], texts


BY_WEBHOOKS = {
    *("arrivals_per_minute", "starts_per_minute", "completions_per_minute", "duration_p50_seconds"),
    *("arrivals_by_source", "kinds", "ended", "running_jobs", "reruns", "failed_jobs"),
}
"""Figures of GitHub that stay unknown in the doctor's one look."""


@pytest.mark.parametrize(
    ("fleet", "has", "cause"),
    [
        ("github-aws-runners", throttled, "throttled_cloud"),
        ("github-aws-runners", served, "requests_pile_up"),
        ("PyTorch's HUD", sold_out, "stockout"),
    ],
)
async def test_the_figures_and_causes_of_a_row_with_cloudwatch_are_seen(
    fleet: str, has: Callable[[Put], None], cause: str, cloud: Put, tmp_path: Path
) -> None:
    has(cloud)
    async with following(fleet, cloud, tmp_path) as (settings, tools):
        shot = await tools.metrics[LABEL].snapshot(LABEL)
    pool = measured(Pool(LABEL), shot, shot.at)
    (found,) = diagnoses([LABEL], {LABEL: pool}, settings.file.pools, moment_of(shot.at, Timing()))
    assert found.findings[0].cause == cause, [one.cause for one in found.findings]
    _, _, _, figures, causes, _ = row(fleet, fleets()[fleet]).split("|")
    assert f"`{cause}`" in causes
    promised = set(re.findall(r"`(\w+)`", figures)) - BY_WEBHOOKS
    known = {name for name in promised if getattr(shot, name) not in {None, ()}}
    if has is HAS[fleet]:
        assert promised - known == set()


def test_each_fleet_of_the_page_is_tried() -> None:
    assert set(fleets()) == set(FOUND)
