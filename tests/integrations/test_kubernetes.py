"""The page on Kubernetes: its configuration through the doctor, the good case and each failure with its remedy."""

from pathlib import Path

import pytest

from handlers.tools.doctor.findings import CheckFinding, Level
from tests.adapters.scalers.kubernetes_api import DEPLOYMENT, HPA, KubernetesApi
from tests.answering import answering
from tests.integrations.checking import PAGES, checked, said

HRA = "/apis/actions.summerwind.dev/v1alpha1/namespaces/ci/horizontalrunnerautoscalers/runners"
KEDA = "/apis/keda.sh/v1alpha1/namespaces/ci/scaledobjects/runners"
NODES = "/apis/karpenter.sh/v1/nodepools/ci"


@pytest.fixture
def api() -> KubernetesApi:
    """A deployment of 10, and an object for each field of the page, with the fields of its CRD."""
    made = KubernetesApi()
    made.put(DEPLOYMENT, {"replicas": 10}, {"replicas": 10})
    made.put(HPA, {"minReplicas": 2, "maxReplicas": 60}, {"currentReplicas": 9, "desiredReplicas": 9})
    made.put(KEDA, {"minReplicaCount": 3, "maxReplicaCount": 60}, {"originalReplicaCount": 1})
    made.put(HRA, {"minReplicas": 4, "maxReplicas": 60}, {"desiredReplicas": 8})
    made.put(NODES, {"limits": {"cpu": "200"}}, {"resources": {"cpu": "28"}})
    return made


async def all_found(
    api: KubernetesApi, folder: Path, token: str = "cluster-token", **instead: str
) -> list[CheckFinding]:
    """What the doctor says of the page's configuration against a stand-in, with a token file as in the cluster."""
    (folder / "token").write_text(token)
    async with answering(api.endpoint) as url:
        here = f'url = "{url}"\ntoken_file = "{folder / "token"}"\n'
        places = {name: f"{name}{here}" for name in ('namespace = "ci"\n', 'name = "ci"\n')}
        return [one for one in await checked("kubernetes", folder, {**places, **instead}) if one.area == "scaler"]


async def found(api: KubernetesApi, folder: Path, token: str = "cluster-token", **instead: str) -> CheckFinding:
    """The same of its first pool."""
    return (await all_found(api, folder, token, **instead))[0]


async def test_the_configuration_of_the_page_works(tmp_path: Path, api: KubernetesApi) -> None:
    """The cluster is asked whether the number may be changed; nothing is."""
    one = await found(api, tmp_path)
    told = "linux: 10 runners now, at most 40; Tailback may scale it; nothing was changed"
    assert (one.state, one.text) == (Level.OK, told)
    assert api.patches == []
    named = {"namespace": "ci", "resource": "deployments", "name": "runners", "subresource": "scale"}
    assert {"verb": "patch", "group": "apps", **named} in api.reviews


async def test_each_field_of_the_page_is_read_and_its_owner_named(tmp_path: Path, api: KubernetesApi) -> None:
    """A field that nobody manages may be changed; the review names the object itself, also without a namespace."""
    tried = "Tailback may scale it; nothing was changed"
    hpa, keda, hra, nodes = (await all_found(api, tmp_path))[1:]
    assert [one.text for one in (hpa, keda, hra)] == [
        f"hpa: 9 runners now, at most 40; {tried}",
        f"keda: 3 runners now, at most 40; {tried}",
        f"hra: 8 runners now, at most 40; {tried}",
    ]
    assert nodes.text == f"nodes: 7 runners now, at most 100; {tried}"
    assert {"verb": "patch", "group": "karpenter.sh", "resource": "nodepools", "name": "ci"} in api.reviews
    api.managers = {"helm": {"f:spec": {"f:minReplicas": {}}}}
    owned = (await all_found(api, tmp_path))[1]
    assert (owned.state, owned.text) == (Level.PROBLEM, "Scaler of hpa: spec.minReplicas of runners belongs to helm")
    assert "let its owner give the field up" in owned.remedy


async def test_a_role_that_may_only_read_is_told_before_anybody_clicks(tmp_path: Path, api: KubernetesApi) -> None:
    """With the rights that are needed; a cluster that does not say is not taken for one that refuses."""
    api.verbs = frozenset({"GET"})
    one = await found(api, tmp_path)
    assert (one.state, one.text) == (Level.PROBLEM, "Scaler of linux: runners may be read and not changed")
    assert one.remedy == "Tailback needs get and patch on deployments/scale in namespace ci"
    api.reviews_refused = True
    unsure = await found(api, tmp_path)
    assert (unsure.state, unsure.text[-27:]) == (Level.OK, "only read access was tested")
    assert "Tailback may scale it" not in unsure.text


async def test_outside_of_a_cluster_it_says_what_is_missing(tmp_path: Path) -> None:
    """The page's configuration as it stands, on a machine without a service account."""
    one = next(one for one in await checked("kubernetes", tmp_path, {}) if one.area == "scaler")
    assert one.state is Level.PROBLEM
    assert "or set token_env, ca_file and url" in said(one)


async def test_each_failure_is_told_with_its_remedy(tmp_path: Path, api: KubernetesApi) -> None:
    """Wrong token, missing right, unknown name."""
    wrong = await found(api, tmp_path, token="of-another-cluster")
    assert "refused the credentials (HTTP 401): Unauthorized" in wrong.text
    unknown = await found(api, tmp_path, **{'name = "runners"\nmax': 'name = "runnerz"\nmax'})
    assert "runnerz in namespace ci could not be read (HTTP 404)" in unknown.text
    api.verbs = frozenset()
    forbidden = await found(api, tmp_path)
    assert "forbidden" in forbidden.text
    assert "Tailback needs get and patch on deployments/scale in namespace ci" in said(forbidden)
    assert {one.state for one in (wrong, unknown, forbidden)} == {Level.PROBLEM}


@pytest.mark.parametrize(
    ("page", "rule"),
    [
        ("kubernetes", ("apiGroups: [apps]", "resources: [deployments/scale]", "resourceNames: [runners]")),
        (
            "arc",
            ("apiGroups: [actions.github.com]", "resources: [autoscalingrunnersets]", "resourceNames: [linux-2xlarge]"),
        ),
    ],
)
def test_the_role_on_the_page_has_two_verbs_on_one_object(page: str, rule: tuple[str, ...]) -> None:
    """Least permission, as the configuration above it needs it."""
    block = (PAGES / f"{page}.md").read_text("utf-8").partition("```yaml\n")[2].partition("```")[0]
    assert [line for line in (*rule, "verbs: [get, patch]") if block.count(line) != 1] == []
