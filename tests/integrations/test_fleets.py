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
from bot.config import load
from bot.core.pool.merge import FIGURES
from bot.diagnosis.rank import possible
from handlers.doctor.check import examined
from handlers.wiring_tools import check_targets
from tests.adapters.github.standin import TOKEN
from tests.adapters.scalers.aws_api import AwsApi
from tests.architecture.tree import ROOT
from tests.ci_systems import buildkite, gitlab, hud, jenkins
from tests.generated import same_as_file
from tests.integrations.test_sources import github, prometheus
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
    "cloudwatch": (
        AwsApi,
        lambda text, url: text.replace('region = "us-east-1"', f'region = "us-east-1"\nendpoint_url = "{url}"'),
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
async def standing(text: str) -> AsyncIterator[str]:
    """The configuration with the addresses of stand-ins for each kind of source in it."""
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
    "Plain GitHub": "linux.2xlarge: 1 job queued,",
    "ARC, Prometheus alone": "linux.2xlarge: 12 jobs queued",
    "ARC with GitHub": "linux.2xlarge: 1 job queued",
    "ARC with events": "linux.2xlarge: 12 jobs queued",
    "ARC in Kubernetes mode": "linux.2xlarge: 12 jobs queued",
    "github-aws-runners": "linux.2xlarge: no value for requests (aws: CloudWatch has no data",
    "PyTorch's HUD": "linux.2xlarge: 7 jobs queued, longest wait 2 h 10 min",
    "PyTorch's ARC fleet": "linux.2xlarge: 7 jobs queued, longest wait 2 h 10 min",
    "Buildkite": "default: 3 jobs queued, longest wait ",
    "GitLab, fixed runners": "linux: 3 jobs queued, longest wait 1 h 54 min",
    "GitLab, autoscaled runners": "linux: 3 jobs queued, longest wait 1 h 54 min",
    "Jenkins, standing nodes": "linux: 2 jobs queued, longest wait ",
    "Jenkins from zero": "pods: 0 jobs queued",
}


@pytest.mark.parametrize("fleet", FOUND)
async def test_the_configuration_of_a_fleet_measures_its_queue(fleet: str, tmp_path: Path) -> None:
    """Through the doctor, as a newcomer runs it."""
    path = tmp_path / "tailback.toml"
    async with standing(fleets()[fleet]) as text:
        path.write_text(f'[slack]\nchannel = "C0CIONCALL"\n{text}')
        given = {**SECRETS, "TAILBACK_CONFIG": str(path), "TAILBACK_DATA": str(tmp_path / "data")}
        settings = load(given)
        async with check_targets(settings) as tools:
            findings = await examined(settings, tools)
    told = [one.text for one in findings if one.area == "metrics"]
    assert [one for one in told if one.startswith(FOUND[fleet])], told


def test_each_fleet_of_the_page_is_tried() -> None:
    assert set(fleets()) == set(FOUND)
