"""The pages of the sources that say why machines do not come: their configuration, and each refusal by name."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
import yaml
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from handlers.tools.doctor.findings import CheckFinding, Level
from tests.adapters.scalers.aws_api import AwsApi
from tests.answering import answering
from tests.integrations.checking import PAGES, checked, said
from tests.integrations.scalers import actions_of
from tests.machines import POOL, KubernetesLists, runner

pytestmark = pytest.mark.usefixtures("made_up_aws")

LOCAL = "http://localhost:9090"


def prometheus() -> AbstractAsyncContextManager[str]:
    """A Prometheus in which twelve jobs wait (the shape of /api/v1/query)."""

    async def answer(request: Request) -> Response:
        at = float(request.query_params["time"])
        row = {"metric": {}, "value": [at, str(at) if "timestamp" in request.query_params["query"] else "12"]}
        return JSONResponse({"status": "success", "data": {"resultType": "vector", "result": [row]}})

    return answering(answer)


async def on_aws(page: str, api: AwsApi, folder: Path) -> CheckFinding:
    """What the doctor says of the pool of a page's configuration against stand-ins."""
    async with answering(api.endpoint) as url, prometheus() as queue:
        there = {'region = "us-east-1"\n': f'region = "us-east-1"\nendpoint_url = "{url}"\n', LOCAL: queue}
        found = await (checked("cloudwatch", folder, there) if page == "cloudwatch" else checked(page, folder, there))
    (one,) = [one for one in found if one.area == "metrics"]
    return one


async def in_cluster(lists: KubernetesLists, folder: Path) -> CheckFinding:
    """The same in a cluster."""
    async with lists.url() as url, prometheus() as queue:
        space = 'namespace = "arc-runners"\n'
        there = {space: f'{space}url = "{url}"\ntoken_env = "K8S_TOKEN"\n', LOCAL: queue}
        found = await checked("kubernetes-events", folder, there, {"K8S_TOKEN": "cluster-token"})
    (one,) = [one for one in found if one.area == "metrics"]
    return one


@pytest.mark.parametrize("page", ["ec2-auto-scaling", "cloudwatch"])
async def test_the_configuration_of_a_page_on_aws_works_with_the_actions_of_its_policy(
    tmp_path: Path, page: str
) -> None:
    """CloudWatch has no data yet, which is named as unknown and never as zero."""
    api = AwsApi()
    one = await on_aws(page, api, tmp_path)
    no_data = page == "cloudwatch"
    assert (one.state, one.remedy) == (
        (Level.WARNING, "correct its name and dimensions") if no_data else (Level.OK, "")
    )
    asked = {f"{'cloudwatch' if no_data else 'autoscaling'}:{action}" for action, _ in api.asked}
    assert asked | ({"cloudwatch:ListMetrics"} if no_data else set()) == actions_of(page)


@pytest.mark.parametrize(
    ("page", "action"),
    [
        ("ec2-auto-scaling", "autoscaling:DescribeAutoScalingGroups"),
        ("ec2-auto-scaling", "autoscaling:DescribeScalingActivities"),
        ("cloudwatch", "cloudwatch:GetMetricData"),
    ],
)
async def test_a_missing_action_is_named(tmp_path: Path, page: str, action: str) -> None:
    """The queue of the other source is still known, so it is a warning."""
    one = await on_aws(page, AwsApi(faults={action.partition(":")[2]: "AccessDenied"}), tmp_path)
    assert (one.state, one.remedy) == (Level.WARNING, f"allow {action} to Tailback's role")
    assert "AWS does not allow" in said(one)


def rights() -> set[str]:
    """What the roles of the page allow, as `list KIND in NAMESPACE`."""
    text = (PAGES / "kubernetes-events.md").read_text("utf-8")
    documents = yaml.safe_load_all(text.partition("```yaml\n")[2].partition("```")[0])
    return {
        f"{verb} {kind} in {one['metadata']['namespace']}"
        for one in documents
        for rule in one["rules"]
        for kind in rule["resources"]
        for verb in rule["verbs"]
    }


async def test_the_configuration_of_the_page_on_kubernetes_works_with_the_rights_of_its_roles(tmp_path: Path) -> None:
    """And with no others."""
    lists = KubernetesLists([runner("a", 1_700_000_000.0, POOL, ready=True)])
    one = await in_cluster(lists, tmp_path)
    assert (one.state, {*lists.asked}) == (Level.OK, rights())


@pytest.mark.parametrize("kind", ["ephemeralrunners", "pods", "events"])
async def test_a_missing_right_in_the_cluster_is_named(tmp_path: Path, kind: str) -> None:
    """By verb, resource and namespace."""
    one = await in_cluster(KubernetesLists(forbidden=kind), tmp_path)
    assert one.state is Level.WARNING
    assert f"allow list on {kind} in namespace arc-runners to Tailback's service account" in one.remedy
