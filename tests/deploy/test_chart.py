"""The Helm chart: rendered by Helm, checked against the schemas of Kubernetes, and held to what Tailback needs."""

import json
import re
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from bot.config import Environment, read_file
from tests.architecture.tree import ROOT
from tests.deploy.charts import CHART, CUSTOM, Document, helm, kinds, only, pods, rendered, selected
from tests.deploy.network import Peer, allows
from tests.processes import program

pytestmark = pytest.mark.needs("helm")

SCALERS = """
[slack]
channel = "C0CIONCALL"
[metrics.prometheus]
kind = "prometheus"
url = "http://prometheus.monitoring.svc:9090"
[alertmanager.main]
kind = "alertmanager"
url = "https://alertmanager.example.com:8443/base"
[pool.arc.scaler]
kind = "arc"
namespace = "arc-runners"
name = "linux"
[pool.deployment.scaler]
kind = "kubernetes"
namespace = "ci"
name = "runners"
[pool.custom.scaler]
kind = "kubernetes"
namespace = "ci"
name = "old"
resource = "horizontalrunnerautoscalers"
group = "actions.summerwind.dev"
version = "v1alpha1"
field = "spec.minReplicas"
[pool.nodes.scaler]
kind = "kubernetes"
name = "ci"
resource = "nodepools"
group = "karpenter.sh"
field = "spec.limits.cpu"
[pool.elsewhere.scaler]
kind = "kubernetes"
namespace = "ci"
name = "other"
url = "https://cluster.example.com:6443"
token_env = "OTHER_TOKEN"
[pool.none.scaler]
kind = "none"
"""
VAULT: dict[str, object] = {"to": [{"ipBlock": {"cidr": "192.0.2.7/32"}}], "ports": [{"port": 8200, "protocol": "TCP"}]}
EVERYTHING: dict[str, object] = {
    "mode": "split",
    "image": {
        "repository": "registry.example.com/tailback",
        "digest": f"sha256:{'0' * 64}",
        "pullSecrets": [{"name": "pull"}],
    },
    "config": SCALERS,
    "env": {"LOG_LEVEL": "DEBUG"},
    "ingress": {
        "enabled": True,
        "host": "tailback.example.com",
        "className": "nginx",
        "tlsSecret": "tls",
        "annotations": {"a": "b"},
    },
    "service": {"annotations": {"c": "d"}},
    "extraEnv": [{"name": "HTTPS_PROXY", "value": "http://proxy.example.com:3128"}],
    "podLabels": {"team": "infra"},
    "podAnnotations": {"prometheus.io/scrape": "true"},
    "priorityClassName": "system-cluster-critical",
    "affinity": {"nodeAffinity": {}},
    "extraVolumes": [{"name": "authority", "configMap": {"name": "authority"}}],
    "extraVolumeMounts": [{"name": "authority", "mountPath": "/etc/authority", "readOnly": True}],
    "serviceAccount": {"annotations": {"eks.amazonaws.com/role-arn": "arn:aws:iam::123456789012:role/tailback"}},
    "networkPolicy": {"ingressFrom": [{"namespaceSelector": {}}], "redisPorts": [6379, 26379], "egress": [VAULT]},
    "monitoring": {"serviceMonitor": True, "prometheusRule": True, "labels": {"release": "prometheus"}},
    "nodeSelector": {"pool": "system"},
    "tolerations": [{"key": "system", "operator": "Exists"}],
}
CASES: dict[str, dict[str, object]] = {
    "embedded": {},
    "split": {"mode": "split"},
    "everything": EVERYTHING,
    "single": {"mode": "split", "web": {"replicas": 1}, "worker": {"replicas": 1}, "networkPolicy": {"enabled": False}},
    "openshift": {
        "podSecurityContext": {"runAsUser": None, "runAsGroup": None, "fsGroup": None},
        "serviceAccount": {"create": False, "name": "given"},
    },
    "volume": {"embedded": {"storage": "10Gi", "storageClassName": "fast"}, "monitoring": {"serviceMonitor": True}},
}


@pytest.fixture(scope="module")
def charts() -> dict[str, list[Document]]:
    """Every case, rendered once."""
    return {name: rendered(**values) for name, values in CASES.items()}


def test_the_linter_accepts_the_chart_with_every_set_of_values() -> None:
    """Strictly: a warning is an error."""
    for values in CASES.values():
        helm("lint --strict", values)


@pytest.mark.needs("kubernetes-validate")
@pytest.mark.parametrize("version", ["1.27", "1.37"])
def test_kubernetes_knows_every_object_and_field(
    charts: dict[str, list[Document]], tmp_path: Path, version: str
) -> None:
    """Strictly, for the oldest release that the chart allows and for a new one; the operator's by their reference."""
    for name, documents in charts.items():
        own = [one for one in documents if not one["apiVersion"].startswith("monitoring.coreos.com/")]
        (tmp_path / f"{name}.yaml").write_text(yaml.safe_dump_all(own))
        for custom in (one for one in documents if one not in own):
            CUSTOM.validate_python(custom)
    plain = (ROOT / "deploy/kubernetes").glob("*.yaml")
    program("kubernetes-validate", "--strict", "-k", f"{version}.0", *tmp_path.glob("*.yaml"), *plain)


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"mode": "both"}, "/mode"),
        ({"replicas": 2}, "'replicas' not allowed"),
        ({"config": '[slack\nchannel = "C0"'}, "config is not valid TOML"),
        ({"config": ""}, "/config"),
        ({"ingress": {"enabled": True}}, "/ingress/host"),
        ({"env": {"PORT": "1"}}, "PORT"),
        ({"env": {"DEBUG": True}}, "/env/DEBUG"),
        ({"image": {"digest": "sha256:1"}}, "/image/digest"),
        ({"web": {"replicas": 0}}, "/web/replicas"),
    ],
)
def test_a_wrong_value_is_named_before_anything_is_installed(values: dict[str, object], problem: str) -> None:
    """By the schema, or by the template that reads the configuration."""
    assert problem in helm("template tailback", values, code=1).err


def test_the_schema_describes_every_value() -> None:
    """And the defaults pass it, or nothing could be rendered."""
    properties = json.loads((CHART / "values.schema.json").read_text("utf-8"))["properties"]
    values = yaml.safe_load((CHART / "values.yaml").read_text("utf-8"))
    assert set(values) == set(properties) - {"global"}
    for name, inner in values.items():
        described = properties[name].get("properties")
        if isinstance(inner, dict) and described:
            assert set(inner) == set(described), name


def test_every_value_is_used() -> None:
    """A value that no template reads would be a promise that nobody keeps."""
    templates = "".join(path.read_text("utf-8") for path in (CHART / "templates").iterdir())
    values = yaml.safe_load((CHART / "values.yaml").read_text("utf-8"))
    assert [
        name for name in values if not re.search(rf"[vV]alues\.{name}\b", templates) and name not in {"web", "worker"}
    ] == []


def test_pods_are_unprivileged_and_know_where_everything_is(charts: dict[str, list[Document]]) -> None:
    """The restricted profile of Kubernetes, probes on the paths that are served, and variables that Tailback reads."""
    known = {name.upper() for name in Environment.model_fields}
    for pod in (pod for documents in charts.values() for pod in pods(documents)):
        (container,) = pod["spec"]["containers"]
        assert pod["spec"]["securityContext"]["runAsNonRoot"] is True
        assert pod["spec"]["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        paths = {probe: container[f"{probe}Probe"]["httpGet"]["path"] for probe in ("startup", "liveness", "readiness")}
        assert paths == {"startup": "/healthz", "liveness": "/healthz", "readiness": "/readyz"}
        assert {one["name"] for one in container["env"]} <= known | {"HTTPS_PROXY"}
        assert container["envFrom"] == [{"secretRef": {"name": "tailback"}}]
        assert container["resources"]["limits"]["memory"]
        own = {one["mountPath"] for one in container["volumeMounts"]} - {"/etc/authority"}
        assert own == {"/etc/tailback", "/tmp", "/data"}
        assert pod["spec"]["terminationGracePeriodSeconds"] > 30


def test_the_mode_decides_on_the_processes(charts: dict[str, list[Document]]) -> None:
    """One pod with a volume, or two Deployments that get REDIS_URL from the secret."""
    one = only(charts["embedded"], "StatefulSet")
    assert (one["spec"]["replicas"], pods(charts["embedded"])[0]["spec"]["containers"][0]["args"]) == (1, ["run"])
    (claim,) = only(charts["volume"], "StatefulSet")["spec"]["volumeClaimTemplates"]
    assert claim["spec"]["storageClassName"] == "fast"
    assert claim["spec"]["resources"] == {"requests": {"storage": "10Gi"}}
    assert "Deployment" not in kinds(charts["embedded"])
    assert "StatefulSet" not in kinds(charts["split"])
    for name in ("web", "worker"):
        (container,) = only(charts["split"], "Deployment", f"tailback-{name}")["spec"]["template"]["spec"]["containers"]
        assert container["args"] == [name]
        (redis,) = [variable for variable in container["env"] if variable["name"] == "REDIS_URL"]
        assert redis["valueFrom"] == {"secretKeyRef": {"name": "tailback", "key": "REDIS_URL"}}


def test_selectors_find_the_pods_that_they_mean(charts: dict[str, list[Document]]) -> None:
    """Services, budgets and the network policy; the monitor finds a service for every pod."""
    for documents in charts.values():
        for service in (one for one in documents if one["kind"] == "Service"):
            (pod,) = selected(documents, service["spec"]["selector"])
            (port,) = service["spec"]["ports"]
            assert port["targetPort"] in {one["name"] for one in pod["spec"]["containers"][0]["ports"]}
        for budget in (one for one in documents if one["kind"] == "PodDisruptionBudget"):
            assert len(selected(documents, budget["spec"]["selector"]["matchLabels"])) == 1
        for policy in (one for one in documents if one["kind"] == "NetworkPolicy"):
            assert selected(documents, policy["spec"]["podSelector"]["matchLabels"]) == pods(documents)
        for monitor in (one for one in documents if one["kind"] == "ServiceMonitor"):
            wanted = monitor["spec"]["selector"]["matchLabels"].items()
            services = [
                one for one in documents if one["kind"] == "Service" and wanted <= one["metadata"]["labels"].items()
            ]
            assert len(services) == len(pods(documents))
            assert {one["metadata"]["labels"][monitor["spec"]["jobLabel"]] for one in services} == {"tailback"}


def test_a_budget_stands_only_where_one_pod_can_be_spared(charts: dict[str, list[Document]]) -> None:
    """A budget for a single pod would block the drain of its node for good."""
    assert "PodDisruptionBudget" in kinds(charts["split"])
    assert "PodDisruptionBudget" not in kinds(charts["single"]) | kinds(charts["embedded"])


def test_rights_are_those_that_the_configured_scalers_need(charts: dict[str, list[Document]]) -> None:
    """get and patch on each named object, and a token only then; another cluster's object needs none here."""
    roles = {one["metadata"]["namespace"]: one["rules"] for one in charts["everything"] if one["kind"] == "Role"}

    def rule(group: str, resource: str, name: str) -> Document:
        return {"apiGroups": [group], "resources": [resource], "resourceNames": [name], "verbs": ["get", "patch"]}

    assert roles == {
        "arc-runners": [rule("actions.github.com", "autoscalingrunnersets", "linux")],
        "ci": [
            rule("actions.summerwind.dev", "horizontalrunnerautoscalers", "old"),
            rule("apps", "deployments/scale", "runners"),
        ],
    }
    for binding in (one for one in charts["everything"] if one["kind"] == "RoleBinding"):
        assert binding["subjects"] == [{"kind": "ServiceAccount", "name": "tailback", "namespace": "ops"}]
        assert binding["metadata"]["namespace"] in roles
    (nodes,) = [one for one in charts["everything"] if one["kind"] == "ClusterRole"]
    assert nodes["rules"] == [rule("karpenter.sh", "nodepools", "ci")]
    (bound,) = [one for one in charts["everything"] if one["kind"] == "ClusterRoleBinding"]
    assert bound["roleRef"]["name"] == nodes["metadata"]["name"]
    assert bound["subjects"] == [{"kind": "ServiceAccount", "name": "tailback", "namespace": "ops"}]
    tokens = {name: {pod["spec"]["automountServiceAccountToken"] for pod in pods(charts[name])} for name in CASES}
    assert tokens == {name: {name == "everything"} for name in CASES}
    assert "Role" not in kinds(charts["embedded"])


@pytest.mark.parametrize("name", ["kubernetes", "arc"])
def test_the_role_on_a_scalers_page_is_the_one_that_the_chart_makes(name: str) -> None:
    """Its configuration, given to the chart, leads to its manifest: rules, namespace, and who is bound."""
    text = (ROOT / f"docs/integrations/{name}.md").read_text("utf-8")
    toml, manifest = (text.partition(f"```{kind}\n")[2].partition("```")[0] for kind in ("toml", "yaml"))
    role, binding = yaml.safe_load_all(manifest)
    made = rendered(config=f'[slack]\nchannel = "C0CIONCALL"\n{toml}')
    for written in (role, binding):
        (found,) = [one for one in made if one["kind"] == written["kind"]]
        assert found["metadata"]["namespace"] == written["metadata"]["namespace"]
        assert found.get("rules") == written.get("rules")
        for subject in written.get("subjects", []):
            assert subject["name"] in {one["name"] for one in found["subjects"]}


@pytest.mark.parametrize(
    ("values", "to", "is_open"),
    [
        ({}, Peer("prometheus-server.monitoring.svc", service=80, pod=9090), True),
        ({}, Peer("grafana.monitoring.svc", service=80, pod=3000), True),
        ({}, Peer("dns-default.openshift-dns.svc", service=53, pod=5353, protocol="UDP"), True),
        ({}, Peer("kubernetes.default.svc", service=443, node=6443), True),
        ({}, Peer("slack.com", outside=443), True),
        ({}, Peer("grafana.example.com", outside=8443), False),
        ({"config": "[a]\nurl = 'https://grafana.example.com:8443'"}, Peer("grafana.example.com", outside=8443), True),
        ({"config": "[a]\n[[a.b]]\nurl = 'http://x.example.com'"}, Peer("x.example.com", outside=80), True),
        ({"config": '[a]\nb = 1  # "https://x.example.com:8443"'}, Peer("x.example.com", outside=8443), False),
        ({"mode": "split"}, Peer("redis.example.com", outside=6379), True),
        ({}, Peer("redis.example.com", outside=6379), False),
        ({"networkPolicy": {"egress": [VAULT]}}, Peer("vault.example.com", outside=8200, address="192.0.2.7"), True),
        ({"networkPolicy": {"egress": [VAULT]}}, Peer("vault.example.com", outside=8200, address="192.0.2.8"), False),
    ],
)
def test_the_network_policy_lets_it_reach_what_it_asks(values: dict[str, object], to: Peer, is_open: bool) -> None:
    """A policy sees the port of the pod or node, after the address of a service was translated."""
    channel = '[slack]\nchannel = "C0CIONCALL"\n'
    given = {**values, "config": f"{channel}{values.get('config', '')}"}
    (policy,) = [one for one in rendered(**given) if one["kind"] == "NetworkPolicy"]
    assert allows(policy, to) == is_open


def test_the_notes_name_what_was_opened() -> None:
    """Who installs it reads there which connections the policy allows."""
    notes = (CHART / "templates/NOTES.txt").read_text("utf-8")
    assert 'include "tailback.ports"' in notes
    assert "networkPolicy.egress" in notes


def test_openshift_chooses_the_user_and_an_account_may_be_given(charts: dict[str, list[Document]]) -> None:
    """Its policy restricted-v2 refuses a fixed user; goharbor/harbor-helm#874."""
    for name in ("embedded", "openshift"):
        (pod,) = pods(charts[name])
        chosen = {"runAsUser", "runAsGroup", "fsGroup"} & set(pod["spec"]["securityContext"])
        assert bool(chosen) == (name == "embedded")
    assert pods(charts["openshift"])[0]["spec"]["serviceAccountName"] == "given"
    assert "ServiceAccount" not in kinds(charts["openshift"])


def test_what_clusters_ask_of_pods_can_be_given(charts: dict[str, list[Document]]) -> None:
    """Labels, annotations, priority, further volumes and variables, as other charts of alerting have them."""
    for pod in pods(charts["everything"]):
        (container,) = pod["spec"]["containers"]
        assert pod["metadata"]["labels"]["team"] == "infra"
        assert pod["metadata"]["annotations"] == {"prometheus.io/scrape": "true"}
        assert (pod["spec"]["priorityClassName"], pod["spec"]["affinity"]) == (
            "system-cluster-critical",
            {"nodeAffinity": {}},
        )
        assert EVERYTHING["extraVolumes"] == [one for one in pod["spec"]["volumes"] if one["name"] == "authority"]
        assert {"name": "HTTPS_PROXY", "value": "http://proxy.example.com:3128"} in container["env"]
    assert {one["metadata"]["name"] for one in rendered(nameOverride="bot")} == {"tailback-bot"}
    assert {one["metadata"]["name"] for one in rendered(serviceAccount={"name": "own"})} == {"tailback", "own"}


def test_the_ingress_opens_what_senders_and_slack_need_and_nothing_else(charts: dict[str, list[Document]]) -> None:
    """/metrics and /readyz stay inside."""
    (rule,) = only(charts["everything"], "Ingress")["spec"]["rules"]
    assert {path["path"] for path in rule["http"]["paths"]} == {"/alerts", "/slack/events", "/github"}
    assert "Ingress" not in kinds(charts["split"])
    opened = rendered(ingress={"enabled": True, "host": "tailback.example.com", "api": True})
    (rule,) = only(opened, "Ingress")["spec"]["rules"]
    assert {path["path"] for path in rule["http"]["paths"]} >= {"/alerts", "/api/v1", "/mcp"}


def test_the_configuration_is_what_tailback_reads(charts: dict[str, list[Document]], tmp_path: Path) -> None:
    """Character for character, so that the doctor names lines as they stand in the file."""
    for name, documents in charts.items():
        text = only(documents, "ConfigMap")["data"]["tailback.toml"]
        given = CASES[name].get("config")
        assert given is None or text.strip() == str(given).strip()
        (tmp_path / "tailback.toml").write_text(text)
        assert read_file(tmp_path / "tailback.toml").slack.channel == "C0CIONCALL"


def test_the_rules_of_the_examples_are_those_of_the_chart(charts: dict[str, list[Document]]) -> None:
    """Group by group as Prometheus reads them."""
    examples = yaml.safe_load((ROOT / "docs/examples/prometheus/rules.yml").read_text("utf-8"))
    assert only(charts["everything"], "PrometheusRule")["spec"] == examples
    fewer = rendered(monitoring={"prometheusRule": True, "ruleGroups": ["tailback"]})
    assert [one["name"] for one in only(fewer, "PrometheusRule")["spec"]["groups"]] == ["tailback"]


def test_the_chart_has_the_version_of_the_project() -> None:
    """The image's tag is the chart's appVersion."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text("utf-8"))
    assert (chart["version"].replace("-dev.", ".dev"), chart["appVersion"]) == (version, version)


def test_generated_files_are_fresh() -> None:
    """The plain manifests and the chart's copy of the rules: `python deploy/render.py` writes them."""
    assert program(sys.executable, ROOT / "deploy/render.py", "--check").out == ""
