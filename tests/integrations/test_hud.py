"""The page on PyTorch's HUD: its configuration through the doctor, the good case and each failure with its remedy."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from handlers.tools.doctor.findings import CheckFinding, Level
from tests.ci_systems import PAGE, CiSystem, Said, hud
from tests.integrations.checking import checked

TOKENS = {"HUD_TOKEN": "hud-token-1"}


async def found(
    system: CiSystem, folder: Path, instead: dict[str, str] | None = None, tokens: dict[str, str] | None = None
) -> list[CheckFinding]:
    """What the doctor says of the page's configuration against a stand-in."""
    async with system.url() as url:
        there = {'kind = "hud"': f'kind = "hud"\nurl = "{url}"', **(instead or {})}
        return await checked("hud", folder, there, TOKENS if tokens is None else tokens)


def now() -> str:
    """What HUD says to be its time."""
    return datetime.now(UTC).isoformat()


async def test_the_configuration_of_the_page_works(tmp_path: Path) -> None:
    """Jobs and their longest wait, as the doctor reads them."""
    (one,) = [it for it in await found(hud(now()), tmp_path) if it.area == "metrics"]
    assert (one.state, one.text) == (Level.OK, "linux.2xlarge: 7 jobs queued, longest wait 2 h 10 min")


async def test_old_figures_are_called_old(tmp_path: Path) -> None:
    """They would never count as drained."""
    (one,) = [it for it in await found(hud(), tmp_path) if it.area == "metrics"]
    assert one.state is Level.WARNING
    assert "the newest figures are" in one.text


@pytest.mark.parametrize(
    ("query", "said", "text", "remedy"),
    [
        ("queued_jobs", Said(PAGE, 403), "answered with a web page", "name a token that HUD accepts"),
        ("queued_jobs", Said({"error": "no such query"}, 404), "has no query queued_jobs", "check url and token_env"),
        ("queued_jobs", Said({"error": "down"}, 500), "failed (HTTP 500): down", "check again in a minute"),
        (
            "queued_jobs_aggregate",
            Said({"error": "x"}, 504),
            "what other repositories queue is unknown",
            "fix the settings",
        ),
    ],
)
async def test_each_failure_is_told_with_its_remedy(
    tmp_path: Path, query: str, said: Said, text: str, remedy: str
) -> None:
    system = hud(now())
    system.paths[f"/api/clickhouse/{query}"] = said
    (one,) = [it for it in await found(system, tmp_path) if it.area == "metrics"]
    assert one.state is Level.PROBLEM
    assert text in one.text
    assert remedy in f"{one.text}; {one.remedy}"


async def test_a_wrong_or_missing_token_is_told(tmp_path: Path) -> None:
    wrong = await found(hud(now()), tmp_path, tokens={"HUD_TOKEN": "another-token"})
    assert any("refused the credentials" in one.text and "[metrics.hud]" in one.remedy for one in wrong)
    missing = await found(hud(now()), tmp_path, tokens={})
    assert any("HUD_TOKEN" in one.text and one.state is Level.PROBLEM for one in missing)


async def test_an_unknown_label_and_organization_are_told(tmp_path: Path) -> None:
    """The label with those that are like it; the organization without hiding the queue."""
    label = await found(hud(now()), tmp_path, {"linux.2xlarge": "linux.2xl"})
    assert any("correct known_as (alike are linux.2xlarge)" in one.text for one in label)
    there = {'token_env = "HUD_TOKEN"': 'token_env = "HUD_TOKEN"\norganizations = ["pytorhc"]'}
    (one,) = [it for it in await found(hud(now()), tmp_path, there) if it.area == "metrics"]
    assert one.state is Level.WARNING
    assert "has no /api/runners/pytorhc (HTTP 404)" in one.text
