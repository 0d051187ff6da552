"""The page on Jenkins: its configuration through the doctor, the good case and each failure with its remedy."""

from pathlib import Path

import pytest

from handlers.tools.doctor.findings import CheckFinding, Level
from tests.ci_systems import PAGE, CiSystem, jenkins
from tests.integrations.checking import checked

QUEUE = "/queue/api/json"


async def found(
    system: CiSystem, folder: Path, instead: dict[str, str] | None = None, login: str = "bot:jenkins-token-1"
) -> list[CheckFinding]:
    """What the doctor says of the page's configuration against a stand-in."""
    async with system.url() as url:
        there = {"https://jenkins.example.com": url, **(instead or {})}
        return await checked("jenkins", folder, there, {"JENKINS_LOGIN": login})


async def test_the_configuration_of_the_page_works(tmp_path: Path) -> None:
    """Jobs, as the doctor reads them."""
    (one,) = [it for it in await found(jenkins(), tmp_path) if it.area == "metrics"]
    assert one.state is Level.OK
    assert one.text.startswith("linux: 2 jobs queued, longest wait ")


@pytest.mark.parametrize(
    ("body", "status", "text", "remedy"),
    [
        (PAGE, 403, "refused the credentials (HTTP 403)", "[metrics.jenkins]"),
        (PAGE, 200, "answered with a web page", "check url"),
        ({"message": "no"}, 404, "has no /queue/api/json (HTTP 404)", "correct [metrics.jenkins]"),
        ({"hello": 1}, 200, "is not that of Jenkins", "check url"),
        ({"items": [], "discoverableItems": [{}]}, 200, "hides queued jobs from this user", "give it Job/Read"),
    ],
)
async def test_each_failure_is_told_with_its_remedy(
    tmp_path: Path, body: object, status: int, text: str, remedy: str
) -> None:
    system = jenkins()
    system.says(QUEUE, body, status)
    (one,) = [it for it in await found(system, tmp_path) if it.area == "metrics"]
    assert one.state is Level.PROBLEM
    assert text in one.text
    assert remedy in f"{one.text}; {one.remedy}"


async def test_a_wrong_login_is_told(tmp_path: Path) -> None:
    """By Jenkins when the token is wrong, by the configuration when it is no login."""
    wrong = await found(jenkins(), tmp_path, login="bot:another-token")
    assert any("refused the credentials (HTTP 401)" in one.text and one.area == "metrics" for one in wrong)
    bare = await found(jenkins(), tmp_path, login="jenkins-token-1")
    assert any("JENKINS_LOGIN must hold user:token" in one.text for one in bare)


async def test_an_unknown_label_is_told(tmp_path: Path) -> None:
    """Neither a node nor a cloud has it."""
    (one,) = [it for it in await found(jenkins(), tmp_path, {'"linux"': '"lniux"'}) if it.area == "metrics"]
    assert one.state is Level.PROBLEM
    assert 'neither a node nor a cloud of Jenkins has the label "lniux"' in one.text
    assert one.remedy == "correct label"
