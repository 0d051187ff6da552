"""Writes the generated files: the chart's copy of the example rules, and the plain manifests in deploy/kubernetes.

`python deploy/render.py` writes them, `--check` only lists those that are stale. Needs `helm` 3.17 or newer.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CHART = ROOT / "deploy/helm/tailback"
RULES = ROOT / "docs/examples/prometheus/rules.yml"
KINDS = ("ServiceAccount", "ConfigMap", "Service", "NetworkPolicy", "PodDisruptionBudget", "Deployment", "StatefulSet")
HEAD = """\
# Generated from deploy/helm/tailback with `mode: {mode}`: change the chart, then run deploy/render.py.
# How to apply it: docs/how-to/kubernetes.md#without-helm.
"""


def generated() -> dict[Path, str]:
    """Every generated file and its content."""
    manifests = {ROOT / f"deploy/kubernetes/{mode}.yaml": plain(mode) for mode in ("embedded", "split")}
    return {CHART / "files/rules.yml": RULES.read_text("utf-8"), **manifests}


def plain(mode: str) -> str:
    """The chart's documents without Helm's own marks, in the order in which they are applied."""
    command = ["helm", "template", "tailback", str(CHART), "--namespace", "tailback", "--values", "-"]
    values = json.dumps({"mode": mode})
    output = subprocess.run(command, input=values, capture_output=True, text=True, check=True).stdout  # noqa: S603
    output = re.sub(r"^(# Source: .*| *app\.kubernetes\.io/managed-by: .*)\n", "", output, flags=re.M)
    documents = [document.strip() for document in re.split(r"^---$", output, flags=re.M) if document.strip()]
    return HEAD.format(mode=mode) + "".join(f"---\n{document}\n" for document in sorted(documents, key=_place))


def _place(document: str) -> tuple[int, str]:
    """Where a document stands: by its kind, then by its name."""
    kind, name = (re.search(rf"^{key}: (\S+)$", document, re.M) for key in ("kind", "  name"))
    if kind is None or name is None:
        raise ValueError(f"A document has no kind or no name: {document[:200]}")
    return KINDS.index(kind[1]), name[1]


def main(arguments: list[str]) -> int:
    """Writes the files, or with --check lists the stale ones and returns 1."""
    wanted = generated()
    stale = [path for path, text in wanted.items() if not path.exists() or path.read_text("utf-8") != text]
    for path in stale:
        sys.stdout.write(f"{path.relative_to(ROOT)}\n")
        if "--check" not in arguments:
            path.write_text(wanted[path], "utf-8")
    return 1 if stale and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
