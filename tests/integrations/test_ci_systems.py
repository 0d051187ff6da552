"""The pages on CI systems: each configuration through the doctor, the good case and each failure with its remedy."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest

from handlers.tools.doctor.findings import CheckFinding, Level
from tests.ci_systems import PAGE, CiSystem, Said, buildkite, gitlab, hud, jenkins
from tests.integrations.checking import checked, said

METRICS, QUEUE = "/v3/metrics", "/queue/api/json"
QUERIES, APP = "/api/clickhouse", "/api/v4/projects/team%2Fapp"
NOT_FOUND = {"message": "404 Not Found"}
PROBLEM, WARNING = Level.PROBLEM, Level.WARNING


@dataclass(frozen=True, slots=True)
class Tried:
    """How a page is tried: a stand-in, what leads the page's configuration to it, and its tokens."""

    system: Callable[[], CiSystem]
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
}


@dataclass(frozen=True, slots=True)
class Wrong:
    """What is not as it should be."""

    answers: Mapping[str, Said] = field(default_factory=dict)
    """Path → what the stand-in answers there."""
    instead: Mapping[str, str] = field(default_factory=dict)
    """Text of the page's configuration → what is written in its place."""
    tokens: Mapping[str, str] = field(default_factory=dict)
    """Variable → another value; empty: it is not set."""


def answers(path: str, body: object, status: int = 200) -> Wrong:
    return Wrong(answers={path: Said(body, status)})


def writes(text: str, other: str) -> Wrong:
    return Wrong(instead={text: other})


def knows(**tokens: str) -> Wrong:
    return Wrong(tokens=tokens)


async def found(page: str, folder: Path, wrong: Wrong, system: CiSystem | None = None) -> list[CheckFinding]:
    """What the doctor says of the page's configuration against a stand-in."""
    tried = TRIED[page]
    at = system or tried.system()
    at.paths.update(wrong.answers)
    tokens = {name: value for name, value in {**tried.tokens, **wrong.tokens}.items() if value}
    async with at.url() as url:
        return await checked(page, folder, {**tried.there(url), **wrong.instead}, tokens)


@pytest.mark.parametrize("page", ["buildkite", "gitlab", "hud", "jenkins"])
async def test_the_configuration_of_the_page_works(page: str, tmp_path: Path) -> None:
    """Jobs and the longest wait, as the doctor reads them."""
    (one,) = [it for it in await found(page, tmp_path, Wrong()) if it.area == "metrics"]
    assert one.state is Level.OK
    assert one.text.startswith(TRIED[page].fine)


@pytest.mark.parametrize(
    ("page", "wrong", "state", "text", "remedy"),
    [
        ("buildkite", answers(METRICS, PAGE), PROBLEM, "answered with a web page", ""),
        ("buildkite", answers(METRICS, NOT_FOUND, 404), PROBLEM, "has no /metrics (HTTP 404)", ""),
        ("buildkite", answers(METRICS, {}), PROBLEM, "has no jobs and agents", "check url"),
        ("buildkite", answers(METRICS, {"message": "slow down"}, 429), PROBLEM, "asks for fewer requests", ""),
        ("gitlab", answers(f"{APP}/jobs", NOT_FOUND, 404), PROBLEM, "has no project team/app", "correct projects"),
        ("gitlab", answers(f"{APP}/jobs", {"message": "no scope"}, 403), PROBLEM, "no scope", "and its permissions"),
        ("gitlab", answers(f"{APP}/jobs", {}, 429), PROBLEM, "fewer requests", "check again in a minute"),
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
    ],
)  # fmt: skip
async def test_each_failure_is_told_with_its_remedy(  # noqa: PLR0917 - the columns of the table above
    page: str, wrong: Wrong, state: Level, text: str, remedy: str, tmp_path: Path
) -> None:
    """An answer that is none, a token that is not accepted, a name that is not known; what is left still stands."""
    findings = await found(page, tmp_path, wrong)
    (one,) = [it for it in findings if text in said(it)]
    assert one.state is state
    assert one.remedy or one.area == "configuration"
    assert remedy in said(one)
    assert sum(it.area == "metrics" for it in findings) <= 1


async def test_old_figures_of_hud_are_called_old(tmp_path: Path) -> None:
    """They would never count as drained."""
    (one,) = [it for it in await found("hud", tmp_path, Wrong(), hud()) if it.area == "metrics"]
    assert one.state is WARNING
    assert "the newest figures are" in one.text
