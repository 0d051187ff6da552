"""The page on files in Git repositories: its configuration through the doctor, the good case and each failure."""

from pathlib import Path

import pytest

from handlers.tools.doctor.findings import CheckFinding, Level
from tests.adapters.scalers.git_api import GitApi
from tests.answering import answering
from tests.integrations.checking import said
from tests.integrations.scalers import scaler_finding


@pytest.fixture
def api() -> GitApi:
    """The file of the page, with 10 runners."""
    return GitApi()


async def found(api: GitApi, folder: Path, token: str = "made-up-token", **instead: str) -> CheckFinding:
    """What the doctor says of the page's configuration against a stand-in."""
    async with answering(api.endpoint) as url:
        here = {'branch = "main"\n': f'branch = "main"\nurl = "{url}"\n', **instead}
        return await scaler_finding("github-file", folder, here, {"TAILBACK_GIT_TOKEN": token})


@pytest.mark.parametrize("by", ["pull_request", "commit"])
async def test_the_configuration_of_the_page_works(tmp_path: Path, api: GitApi, by: str) -> None:
    """GitHub is asked whether the file may be changed; nothing is."""
    before = dict(api.branches)
    one = await found(api, tmp_path, **{'by = "pull_request"': f'by = "{by}"'})
    told = "linux: 10 runners now, at most 40; Tailback may scale it; nothing was changed"
    assert (one.state, one.text) == (Level.OK, told)
    assert (api.branches, api.pulls) == (before, [])


async def test_each_failure_is_told_with_its_remedy(tmp_path: Path, api: GitApi) -> None:
    """Wrong token, missing permission, unknown file, ambiguous pattern."""
    wrong = await found(api, tmp_path, token="of-somebody-else")
    assert "refused the credentials (HTTP 401" in wrong.text
    unknown = await found(api, tmp_path, **{"main.tfvars": "gone.tfvars"})
    assert "GitHub shows no runners/gone.tfvars on branch main" in unknown.text
    twice = await found(api, tmp_path, **{"^linux_max": "_max"})
    assert "pattern matches 2 places" in said(twice)
    for missing in ("contents=write", "pull_requests=write"):
        api.permissions = GitApi().permissions - {missing}
        one = await found(api, tmp_path)
        assert (one.state, one.remedy) == (Level.PROBLEM, f"give the credentials the permission {missing}")
    assert {one.state for one in (wrong, unknown, twice)} == {Level.PROBLEM}
