"""The page on GitLab: its configuration through the doctor, the good case and each failure with its remedy."""

from pathlib import Path

import pytest

from handlers.tools.doctor.findings import CheckFinding, Level
from tests.ci_systems import PAGE, CiSystem, Said, gitlab
from tests.integrations.checking import checked


async def found(
    system: CiSystem, folder: Path, instead: dict[str, str] | None = None, token: str = "gitlab-token-1"
) -> list[CheckFinding]:
    """What the doctor says of the page's configuration against a stand-in."""
    async with system.url() as url:
        there = {"https://gitlab.com": url, **(instead or {})}
        found = await checked("gitlab", folder, there, {"GITLAB_TOKEN": token})
    return [one for one in found if one.area == "metrics"]


async def test_the_configuration_of_the_page_works(tmp_path: Path) -> None:
    """Jobs and the longest wait, as the doctor reads them."""
    (one,) = await found(gitlab(), tmp_path)
    assert (one.state, one.text) == (Level.OK, "linux: 3 jobs queued, longest wait 1 h 54 min")


@pytest.mark.parametrize(
    ("path", "said", "text", "remedy"),
    [
        ("jobs", Said({"message": "404 Not Found"}, 404), "has no project team/app", "correct projects"),
        ("jobs", Said({"message": "no scope"}, 403), "no scope", "and its permissions"),
        ("jobs", Said({"message": "Later"}, 429), "fewer requests", "check again in a minute"),
        ("jobs", Said(PAGE), "web page", "check url"),
        ("runners", Said({"message": "403"}, 403), "no value for busy", "fix the settings in"),
    ],
)
async def test_each_failure_is_told_with_its_remedy(
    tmp_path: Path, path: str, said: Said, text: str, remedy: str
) -> None:
    """What is wrong, and what to do; without its runners the queue still stands."""
    system = gitlab()
    system.paths[f"/api/v4/projects/team%2Fapp/{path}"] = said
    (one,) = await found(system, tmp_path)
    assert one.state is (Level.WARNING if path == "runners" else Level.PROBLEM)
    assert text in one.text
    assert remedy in f"{one.text}; {one.remedy}"


async def test_a_wrong_token_is_told(tmp_path: Path) -> None:
    """By GitLab's own words, with the table to mend."""
    (one,) = await found(gitlab(), tmp_path, token="another-token")
    assert one.state is Level.PROBLEM
    assert "refused the credentials (HTTP 401)" in one.text
    assert "[metrics.gitlab]" in one.remedy


async def test_unknown_tags_are_told(tmp_path: Path) -> None:
    (one,) = await found(gitlab(), tmp_path, {'["linux", "docker"]': '["lniux"]'})
    assert one.state is Level.PROBLEM
    assert "no runner carries the tags lniux and no job asks for them, correct tags" in one.text
