"""The page on Buildkite: its configuration through the doctor, the good case and each failure with its remedy."""

from pathlib import Path

import pytest

from handlers.tools.doctor.findings import CheckFinding, Level
from tests.ci_systems import PAGE, CiSystem, buildkite
from tests.integrations.checking import checked, said

TOKENS = {"BUILDKITE_AGENT_TOKEN": "agent-token-1", "BUILDKITE_API_TOKEN": "api-token-1"}


async def found(
    system: CiSystem, folder: Path, instead: dict[str, str] | None = None, tokens: dict[str, str] | None = None
) -> list[CheckFinding]:
    """What the doctor says of the page's configuration against a stand-in."""
    async with system.url() as url:
        there = f'kind = "buildkite"\nurl = "{url}/v3"\napi_url = "{url}/graphql"'
        found = await checked("buildkite", folder, {'kind = "buildkite"': there, **(instead or {})}, tokens or TOKENS)
    return [one for one in found if one.area == "metrics"]


async def test_the_configuration_of_the_page_works(tmp_path: Path) -> None:
    """Jobs and the longest wait, as the doctor reads them."""
    (one,) = await found(buildkite(), tmp_path)
    assert one.state is Level.OK
    assert one.text.startswith("default: 3 jobs queued, longest wait ")


async def test_without_the_api_token_the_wait_is_told_as_missing(tmp_path: Path) -> None:
    """The queue stands; the sentence names the setting."""
    (one,) = await found(buildkite(), tmp_path, {'api_token_env = "BUILDKITE_API_TOKEN"\n': ""})
    assert one.state is Level.WARNING
    assert "oldest_wait_seconds (the agent token does not show single jobs); name an API token" in said(one)


@pytest.mark.parametrize(
    ("variable", "state", "text"),
    [
        ("BUILDKITE_AGENT_TOKEN", Level.PROBLEM, "default: Buildkite (buildkite): refused the credentials (HTTP 401)"),
        ("BUILDKITE_API_TOKEN", Level.WARNING, "oldest_wait_seconds (refused the credentials (HTTP 401)"),
    ],
)
async def test_a_wrong_token_is_told(tmp_path: Path, variable: str, state: Level, text: str) -> None:
    """A wrong agent token is a problem; a wrong API token costs the wait."""
    (one,) = await found(buildkite(), tmp_path, tokens={**TOKENS, variable: "wrong-token"})
    assert one.state is state
    assert text in one.text


@pytest.mark.parametrize(
    ("path", "body", "status", "text"),
    [
        ("/v3/metrics", PAGE, 200, "answered with a web page"),
        ("/v3/metrics", {"message": "Not Found"}, 404, "has no /metrics (HTTP 404)"),
        ("/v3/metrics", {}, 200, "has no jobs and agents; check url"),
        ("/v3/metrics", {"message": "slow down"}, 429, "asks for fewer requests"),
    ],
)
async def test_each_failure_is_told_with_its_remedy(
    tmp_path: Path, path: str, body: object, status: int, text: str
) -> None:
    system = buildkite()
    system.says(path, body, status)
    (one,) = await found(system, tmp_path)
    assert one.state is Level.PROBLEM
    assert text in said(one)
    assert one.remedy


async def test_an_unknown_queue_is_told(tmp_path: Path) -> None:
    """With both remedies: the name, or that it may be empty."""
    (one,) = await found(buildkite(), tmp_path, {'[pool."default"]': '[pool."defualt"]'})
    assert one.state is Level.PROBLEM
    assert 'no queue "defualt"' in one.text
    assert "scales_to_zero" in said(one)
