"""Every block of the docs that can be copied is used by a test as it is; a block of a new kind needs one."""

import json
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.architecture.tree import ROOT
from tests.deploy.charts import rendered
from tests.docs_pages import pages

USED = {
    "sh": "tests/test_docs_commands.py",
    "toml": "tests/test_docs.py",
    ("docs/design/posting.md", "python"): "tests/posting/test_keep_message.py",
    ("docs/how-to/reports.md", "text"): "tests/views/test_report_page.py",
    ("docs/how-to/systemd.md", "nginx"): "tests/deploy/proxies.py",
    ("docs/integrations/sns.md", "text"): "tests/sources/test_cloudwatch.py",
    ("docs/reference/signals.md", "text"): "tests/adapters/metrics/test_cloudwatch_numbers.py",
}
"""Kind of block, or page and kind: the test that uses such blocks. The other kinds are used below."""
WORDS_OF_OTHERS = {("docs/integrations/event.md", "text")}
"""A template in Datadog's own language."""
WRITTEN_BY_A_TEST = "docs/examples/story/"
"""Pages that tests/playground/test_story.py compares as a whole."""


def blocks(kind: str) -> list[tuple[str, str]]:
    block = re.compile(rf"^```{kind}\n(.*?)^```$", re.M | re.S)
    return [(one.path, text) for one in pages() for text in block.findall(one.text)]


def test_every_kind_of_block_has_its_test() -> None:
    """Whoever shows something new in the docs is led to where it is tried."""
    shown = {(one.path, kind) for one in pages() for kind in re.findall(r"^ *```(\w+)$", one.text, re.M)}
    here = {"yaml", "json", "promql", "mermaid"}
    excerpts = {("docs/how-to/extend.md", "python")}
    rest = {
        (path, kind) for path, kind in shown if kind not in {*USED, *here} and not path.startswith(WRITTEN_BY_A_TEST)
    }
    assert rest - WORDS_OF_OTHERS - excerpts == {key for key in USED if isinstance(key, tuple)}
    for key, test in USED.items():
        text = (ROOT / test).read_text("utf-8")
        assert isinstance(key, str) or key[0] in text or key[0].rpartition("/")[2] in text, (
            f"{test} does not read {key[0]}"
        )


@pytest.mark.needs("amtool")
@pytest.mark.needs("helm")
@pytest.mark.needs("kubernetes-validate")
@pytest.mark.parametrize(("path", "text"), blocks("yaml"), ids=lambda value: value[:40])
def test_each_manifest_and_route_is_accepted_by_its_own_checker(path: str, text: str, tmp_path: Path) -> None:
    """Strictly, by the schemas of Kubernetes or by Alertmanager."""
    file = tmp_path / "file.yaml"
    file.write_text(text)
    if path == "docs/how-to/kubernetes.md":  # values of the chart
        rendered(**yaml.safe_load(text))
        return
    manifest = all("apiVersion" in one for one in yaml.safe_load_all(text))
    command = ["kubernetes-validate", "--strict", "-k", "1.37.0"] if manifest else ["amtool", "check-config"]
    ran = subprocess.run([*command, file], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, path + ran.stdout + ran.stderr


@pytest.mark.parametrize(("path", "text"), blocks("json"), ids=lambda value: value[:40])
def test_each_policy_allows_single_actions_on_named_things(path: str, text: str) -> None:
    """Other JSON is an event, which tests/integrations/test_alert_sources.py sends, or what a pager's webhook gets."""
    policy = json.loads(text)
    if path == "docs/how-to/pagers.md":
        assert set(policy) == {"source", "event", "action", "key", "text", "link"}
        return
    if path == "docs/integrations/event.md":
        assert policy["schema_version"] == 1
        return
    actions = [
        name
        for one in policy["Statement"]
        for name in ([one["Action"]] if isinstance(one["Action"], str) else one["Action"])
    ]
    assert actions
    assert [name for name in actions if not re.fullmatch(r"[a-z0-9]+:[A-Za-z]+", name)] == []


@pytest.mark.needs("prometheus")
def test_prometheus_can_read_every_query(tmp_path: Path) -> None:
    queries = [line for _, text in blocks("promql") for line in text.splitlines() if line]
    rules = [{"record": f"docs:query:{number}", "expr": query} for number, query in enumerate(queries)]
    assert len(rules) > 20
    (tmp_path / "rules.yml").write_text(yaml.safe_dump({"groups": [{"name": "docs", "rules": rules}]}))
    ran = subprocess.run(
        ["promtool", "check", "rules", tmp_path / "rules.yml"], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.parametrize(("path", "text"), blocks("mermaid"), ids=lambda value: value[:40])
def test_each_diagram_is_of_a_known_kind_with_every_bracket_closed(path: str, text: str) -> None:
    """What Mermaid most often refuses; it drew all of them when this was written."""
    assert text.split(maxsplit=1)[0] in {"flowchart", "stateDiagram-v2"}, path
    for opening, closing in ("[]", "()", "{}"):
        assert text.count(opening) == text.count(closing), path
    assert len(re.findall(r"^ *subgraph\b", text, re.M)) == len(re.findall(r"^ *end$", text, re.M)), path
