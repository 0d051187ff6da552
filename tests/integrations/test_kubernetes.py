"""The page on Kubernetes: its configuration through the doctor, the good case and each failure with its remedy."""

from pathlib import Path

import pytest

from handlers.tools.doctor.findings import CheckFinding, Level
from tests.adapters.scalers.kubernetes_api import DEPLOYMENT, KubernetesApi, serving_kubernetes
from tests.integrations.checking import PAGES, said
from tests.integrations.scalers import configuration_problems, scaler_finding


@pytest.fixture
def api() -> KubernetesApi:
    """A deployment of 10."""
    made = KubernetesApi()
    made.put(DEPLOYMENT, {"replicas": 10}, {"replicas": 10})
    return made


async def found(api: KubernetesApi, folder: Path, token: str = "cluster-token", **instead: str) -> CheckFinding:
    """What the doctor says of the page's configuration against a stand-in, with a token file as in the cluster."""
    (folder / "token").write_text(token)
    async with serving_kubernetes(api) as url:
        here = f'namespace = "ci"\nurl = "{url}"\ntoken_file = "{folder / "token"}"\n'
        return await scaler_finding("kubernetes", folder, {'namespace = "ci"\n': here, **instead})


async def test_the_configuration_of_the_page_works(tmp_path: Path, api: KubernetesApi) -> None:
    """The cluster is asked whether the number may be changed; nothing is."""
    one = await found(api, tmp_path)
    told = "linux: 10 runners now, up to 40 allowed; it may be changed, and only reading was tried"
    assert (one.state, one.text) == (Level.OK, told)
    assert api.patches == []
    assert api.reviews == [
        {"verb": "patch", "group": "apps", "namespace": "ci", "resource": "deployments", "name": "runners",
         "subresource": "scale"}
    ]  # fmt: skip


async def test_a_role_that_may_only_read_is_told_before_anybody_clicks(tmp_path: Path, api: KubernetesApi) -> None:
    """With the rights that are needed; a cluster that does not say is not taken for one that refuses."""
    api.verbs = frozenset({"GET"})
    one = await found(api, tmp_path)
    assert (one.state, one.text) == (Level.PROBLEM, "Scaler of linux: runners may be read and not changed")
    assert one.remedy == "Tailback needs get and patch on deployments/scale in namespace ci"
    api.reviews_refused = True
    unsure = await found(api, tmp_path)
    assert (unsure.state, unsure.text[-22:]) == (Level.OK, "only reading was tried")
    assert "it may be changed" not in unsure.text


async def test_outside_of_a_cluster_it_says_what_is_missing(tmp_path: Path) -> None:
    """The page's configuration as it stands, on a machine without a service account."""
    one = await scaler_finding("kubernetes", tmp_path, {})
    assert one.state is Level.PROBLEM
    assert "or set token_env, ca_file and url" in said(one)


async def test_each_failure_is_told_with_its_remedy(tmp_path: Path, api: KubernetesApi) -> None:
    """Wrong token, missing right, unknown name."""
    wrong = await found(api, tmp_path, token="of-another-cluster")
    assert "refused the credentials (HTTP 401): Unauthorized" in wrong.text
    unknown = await found(api, tmp_path, **{'name = "runners"': 'name = "runnerz"'})
    assert "runnerz in namespace ci could not be read (HTTP 404)" in unknown.text
    api.verbs = frozenset()
    forbidden = await found(api, tmp_path)
    assert "forbidden" in forbidden.text
    assert "Tailback needs get and patch on deployments/scale in namespace ci" in said(forbidden)
    assert {one.state for one in (wrong, unknown, forbidden)} == {Level.PROBLEM}


async def test_a_typing_error_is_named_with_its_place(tmp_path: Path) -> None:
    """Before anything is contacted."""
    told = await configuration_problems("kubernetes", tmp_path, {'name = "runners"': 'nmae = "runners"'})
    assert any('[pool."linux".scaler]: nmae: there is no such setting' in one for one in told)


@pytest.mark.parametrize(
    ("page", "rule"),
    [
        ("kubernetes", ("apiGroups: [apps]", "resources: [deployments/scale]", "resourceNames: [runners]")),
        (
            "arc",
            (
                "apiGroups: [actions.github.com]",
                "resources: [autoscalingrunnersets]",
                "resourceNames: [linux-2xlarge]",
            ),
        ),
    ],
)
def test_the_role_on_the_page_has_two_verbs_on_one_object(page: str, rule: tuple[str, ...]) -> None:
    """Least permission, as the configuration above it needs it."""
    block = (PAGES / f"{page}.md").read_text("utf-8").partition("```yaml\n")[2].partition("```")[0]
    assert [line for line in (*rule, "verbs: [get, patch]") if block.count(line) != 1] == []
