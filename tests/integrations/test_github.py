"""The configuration of docs/integrations/github.md through the doctor: the good case, each failure with its remedy."""

from pathlib import Path

import pytest

from handlers.tools.doctor.findings import CheckFinding, Level
from tests.adapters.github.standin import LABEL, ORG, REPO, TOKEN, GitHubStandIn
from tests.integrations.checking import checked, said


class Github:
    """The stand-in, and the page's configuration that leads to it. It goes by the doctor's own clock."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.standin = folder, GitHubStandIn(2_000_000_000.0)
        self.standin.runner(LABEL)

    async def doctor(self, token: str = TOKEN, **instead: str) -> list[CheckFinding]:
        """What the doctor says of the page's configuration, with these texts replaced."""
        async with self.standin.serving() as url:
            texts = {'kind = "github"': f'kind = "github"\nurl = "{url}"', **instead}
            return await checked("github", self.folder, texts, {"GITHUB_TOKEN": token})

    async def metrics(self, token: str = TOKEN, **instead: str) -> CheckFinding:
        """The one finding about the pool."""
        (found,) = [one for one in await self.doctor(token, **instead) if one.area == "metrics"]
        return found


@pytest.fixture
def github(tmp_path: Path) -> Github:
    return Github(tmp_path)


async def test_the_configuration_of_the_page_is_good(github: Github) -> None:
    """It reads the queue, and nothing is missing."""
    github.standin.job(github.standin.run(1), 11)
    found = await github.metrics()
    assert (found.state, found.text.partition(",")[0]) == (Level.OK, f"{LABEL}: 1 job queued")


async def test_a_wrong_token(github: Github) -> None:
    """The variable is named, its value is not."""
    found = await github.metrics("ghp_wrong_0123456789")
    assert found.state is Level.PROBLEM
    assert "refused the credentials (HTTP 401: Bad credentials); put a valid token into GITHUB_TOKEN" in said(found)
    assert "ghp_wrong" not in found.text + found.remedy


@pytest.mark.parametrize(
    ("denied", "state", "wanted"),
    [
        ("/actions/runners", Level.WARNING, "organization_self_hosted_runners=read"),
        ("/actions/runs", Level.PROBLEM, "actions=read"),
    ],
)
async def test_a_missing_permission(github: Github, denied: str, state: Level, wanted: str) -> None:
    """Named as GitHub names it; what can be read without it is read."""
    github.standin.denied = [denied]
    found = await github.metrics()
    assert found.state is state
    assert f"give the credentials the permission {wanted}" in said(found)


async def test_an_unknown_organisation_and_repository(github: Github) -> None:
    """Both are unknown, and the first is named; with the organisation known the repository is."""
    found = await github.metrics(**{ORG: "exmaple"})
    assert found.state is Level.PROBLEM
    assert "there is no organisation exmaple" in found.text
    found = await github.metrics(**{REPO: f"{ORG}/nope"})
    assert found.state is Level.PROBLEM
    assert f"there is no repository {ORG}/nope" in found.text


async def test_a_label_that_no_runner_carries(github: Github) -> None:
    """A mistyped label looks like an empty pool, so it is said."""
    found = await github.metrics(**{f'label = "{LABEL}"': 'label = "linux.2xlrage"'})
    assert found.state is Level.WARNING
    assert "no runner carries linux.2xlrage now); correct it, unless the pool is scaled to zero" in said(found)


async def test_a_limit_that_holds(github: Github) -> None:
    github.standin.says = [(429, {"retry-after": "60"}, "slow down")]
    found = await github.metrics()
    assert found.state is Level.PROBLEM
    assert "asks for fewer requests (HTTP 429: slow down)); nothing is asked before" in said(found)


async def test_an_app_whose_key_is_no_key(github: Github) -> None:
    """The doctor says so before anything is asked."""
    app = 'app_id = 4242\ninstallation_id = 77\nprivate_key_env = "GITHUB_TOKEN"'
    found = await github.doctor(**{'token_env = "GITHUB_TOKEN"': app})
    assert [one for one in found if "GITHUB_TOKEN does not hold a private key (PEM)" in one.text]
    assert github.standin.asked == []


async def test_an_empty_answer(github: Github) -> None:
    """200 without a list is another address than that of the API."""
    github.standin.says = [(200, {}, "")] * 9
    found = await github.metrics()
    assert found.state is Level.PROBLEM
    assert "check that url is the address of GitHub's REST API" in said(found)
