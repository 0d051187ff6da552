"""C2, C6, C16, C20, C21: what the code itself must not contain, read from its syntax tree and its lock file."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.tree import ROOT, Module, last_name, project

SECRET = re.compile(r"secret|token|signature|password|digest_given", re.IGNORECASE)
LOADERS = {"pickle", "cPickle", "marshal", "shelve", "dill", "yaml", "jsonpickle", "joblib"}
EXECUTORS = {"eval", "exec", "compile", "__import__"}
PRODUCT = project().modules()


def compared(module: Module) -> Iterator[str]:
    """Places where something that is named like a secret is compared with `==`."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Compare) and any(isinstance(op, ast.Eq | ast.NotEq) for op in node.ops):
            sides = [node.left, *node.comparators]
            constant = any(isinstance(side, ast.Constant) for side in sides)
            if not constant and any(SECRET.search(last_name(side)) for side in sides):
                yield module.at(node, ast.unparse(node))


def test_no_secret_is_compared_with_equals() -> None:
    """C2: `hmac.compare_digest` on bytes, and nothing else."""
    real = [module for module in PRODUCT if not module.path.startswith("bot/playground/")]
    assert [found for module in real for found in compared(module)] == []
    users = {m.path for m in PRODUCT if "compare_digest" in m.text}
    assert users >= {"bot/sources/credentials.py"}


def test_nothing_is_loaded_that_could_be_code() -> None:
    """C21: no pickle, no YAML, no eval; APScheduler keeps its jobs in memory."""
    found = [
        module.at(imported, imported.module)
        for module in PRODUCT
        for imported in module.imports
        if imported.top in LOADERS or "jobstores" in imported.module
    ]
    found += [
        module.at(node, last_name(node.func))
        for module in PRODUCT
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in EXECUTORS
    ]
    assert found == []


def test_there_is_one_http_client_and_it_follows_nobody() -> None:
    """C6: no redirects, no proxies from the environment."""
    made = [
        (module.path, {k.arg: ast.unparse(k.value) for k in node.keywords})
        for module in PRODUCT
        if not module.path.startswith("bot/playground/")
        and module.path not in {"handlers/tools/send.py", "handlers/tools/demo_product.py"}
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call) and last_name(node.func) in {"AsyncClient", "Client"} and "httpx" in module.text
    ]
    assert [path for path, _ in made] == ["bot/adapters/http/client.py"]
    assert (made[0][1]["follow_redirects"], made[0][1]["trust_env"]) == ("False", "False")


def test_proxy_headers_are_believed_of_named_proxies_only() -> None:
    """C16: uvicorn's default believes loopback, and reads the variable by itself when it is given nothing."""
    servers = [m for m in PRODUCT if "uvicorn.Config(" in m.text and not m.path.startswith("bot/playground/")]
    assert servers
    given = ("proxy_headers=bool(env.forwarded_allow_ips)", "forwarded_allow_ips=env.forwarded_allow_ips")
    assert [m.path for m in servers if not all(words in m.text for words in given)] == []


@pytest.mark.parametrize(
    "name",
    [
        "requirements.lock",
        "requirements-aws.lock",
        "requirements-dev.lock",
        ".github/release.lock",
        ".ci/tools.lock",
        "docs/site/requirements.lock",
    ],
)
def test_every_locked_package_has_a_hash(name: str) -> None:
    """C20: nothing is installed that was not there when the lock was made."""
    text = (ROOT / name).read_text("utf-8").replace("\\\n", " ")
    pinned = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith(("#", "--"))]
    assert len(pinned) > 10
    assert [line[:60] for line in pinned if "--hash=sha256:" not in line or "==" not in line] == []


def test_actions_of_the_pipeline_are_pinned_by_commit() -> None:
    """C20: a tag can be moved."""
    files = sorted(Path(ROOT / ".github/workflows").glob("*.yml"))
    used = [line.strip() for file in files for line in file.read_text("utf-8").splitlines() if "uses:" in line]
    assert used
    assert [line for line in used if not re.search(r"@[0-9a-f]{40}( |$)", line)] == []
