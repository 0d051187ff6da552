"""The page on Actions Runner Controller: its configuration through the doctor, the good case and each failure."""

from pathlib import Path

import pytest

from handlers.tools.doctor.findings import CheckFinding, Level
from tests.adapters.scalers.kubernetes_api import SCALE_SET, KubernetesApi
from tests.answering import answering
from tests.integrations.checking import said
from tests.integrations.scalers import scaler_finding


@pytest.fixture
def api() -> KubernetesApi:
    """A scale set of at most 10 runners, 9 of them there."""
    made = KubernetesApi()
    made.put(SCALE_SET, {"minRunners": 2, "maxRunners": 10}, {"currentRunners": 9})
    return made


async def found(api: KubernetesApi, folder: Path, **instead: str) -> CheckFinding:
    """What the doctor says of the page's configuration against a stand-in, with a token file as in the cluster."""
    (folder / "token").write_text("cluster-token")
    async with answering(api.endpoint) as url:
        here = f'namespace = "arc-runners"\nurl = "{url}"\ntoken_file = "{folder / "token"}"\n'
        return await scaler_finding("arc", folder, {'namespace = "arc-runners"\n': here, **instead})


async def test_the_configuration_of_the_page_works(tmp_path: Path, api: KubernetesApi) -> None:
    """The cluster is asked whether the number may be changed; nothing is."""
    one = await found(api, tmp_path)
    told = "linux-2xlarge: 9 runners now, at most 40; Tailback may scale it; nothing was changed"
    assert (one.state, one.text) == (Level.OK, told)
    assert [(asked["group"], asked["resource"], asked.get("subresource")) for asked in api.reviews] == [
        ("actions.github.com", "autoscalingrunnersets", None)
    ]
    assert api.patches == []


async def test_the_other_lever_is_held_by_the_cap(tmp_path: Path, api: KubernetesApi) -> None:
    one = await found(api, tmp_path, **{'lever = "max"': 'lever = "min"'})
    assert one.state is Level.WARNING
    assert "the autoscaler allows 10 (spec.maxRunners of linux-2xlarge)" in one.text


async def test_each_failure_is_told_with_its_remedy(tmp_path: Path, api: KubernetesApi) -> None:
    """Failed runners, no cap, unknown name, missing right."""
    api.change(SCALE_SET, {"status": {"failedEphemeralRunners": 3}})
    assert "3 failed runners, counted until deleted" in (await found(api, tmp_path)).text
    unknown = await found(api, tmp_path, **{'name = "linux-2xlarge"': 'name = "linux"'})
    assert "linux in namespace arc-runners could not be read (HTTP 404)" in unknown.text
    del api.objects[SCALE_SET]["spec"]["maxRunners"]
    assert 'no cap holds it back, so set `lever = "min"`' in said(await found(api, tmp_path))
    api.verbs = frozenset()
    forbidden = await found(api, tmp_path)
    assert "Tailback needs get and patch on autoscalingrunnersets in namespace arc-runners" in said(forbidden)
