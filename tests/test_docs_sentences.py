"""Whoever reads a sentence in Slack finds the place where it is written: the page is what `bot/views/words` says."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.architecture.tree import ROOT
from tests.generated import same_as_file
from tests.test_docs_messages import cell

WORDS = ROOT / "bot/views/words"
PAGE = "docs/reference/sentences.md"
ELSEWHERE = {"refusals.py"}
"""Its sentences stand in docs/reference/messages.md."""
HEAD = """# Where is this sentence?

Every sentence and half-sentence of `bot/views/words`, by module, with the function or the table that has it. `…` stands
for what varies. Change it there. Then `./tailback golden` writes every text that repeats it, this page too. Refusals
are in [messages](messages.md). What stands only in one message is in the module of that message, in `bot/views`.
"""


def test_the_page_has_every_sentence_and_the_place_of_each() -> None:
    same_as_file(ROOT / PAGE, rendered())


def test_a_known_sentence_is_found() -> None:
    """One of a function, and one of a table."""
    page = (ROOT / PAGE).read_text("utf-8")
    assert "| Jobs are queueing again. | `NOTES` |" in page
    assert "| Drained: … after ….… | `ending_words` |" in page


def rendered() -> str:
    parts = [HEAD]
    for module in sorted(WORDS.glob("*.py")):
        if module.name in ELSEWHERE or not (found := sorted(set(of_module(module)), key=_order)):
            continue
        summary = (ast.get_docstring(ast.parse(module.read_text("utf-8"))) or "").splitlines()[0]
        rows = [f"| {cell(text)} | `{place}` |" for text, place in found]
        parts.append(
            "\n".join((f"## `{module.name}`", "", summary, "", "| sentence | place |", "|---|---|", *rows, ""))
        )
    return "\n".join(parts)


def _order(one: tuple[str, str]) -> tuple[str, str, str]:
    return one[0].lower(), *one


def of_module(module: Path) -> Iterator[tuple[str, str]]:
    """(sentence with … for what varies, the function or the name that has it)."""
    for top in ast.parse(module.read_text("utf-8")).body:
        match top:
            case ast.FunctionDef(name=place) | ast.ClassDef(name=place):
                yield from ((text, place) for text in _texts(top))
            case ast.Assign(targets=[ast.Name(id=place)]) | ast.AnnAssign(target=ast.Name(id=place)):
                yield from ((text, place) for text in _texts(top))


def _texts(node: ast.AST) -> Iterator[str]:
    """The texts of at least two words below a node, docstrings left out."""
    documented = isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node, clean=False)
    for below in ast.iter_child_nodes(node):
        if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant) and documented:
            continue
        text = ""
        if isinstance(below, ast.Constant) and isinstance(below.value, str):
            text = re.sub(r"\{\w+\}", "…", below.value)
        elif isinstance(below, ast.JoinedStr):
            text = "".join(str(one.value) if isinstance(one, ast.Constant) else "…" for one in below.values)
            yield from (inner for one in below.values if not isinstance(one, ast.Constant) for inner in _texts(one))
        else:
            yield from _texts(below)
        text = re.sub("…[…+ ]*…", "…", " ".join(text.split()))
        if " " in text and len(re.findall(r"[A-Za-z]{2,}", text)) > 1:
            yield text
