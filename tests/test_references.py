"""Whatever code, tests and docs refer to exists: pages, headings, files, and the codes of rules."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.architecture.tree import ROOT
from tests.docs_pages import page, pages

_PAGE = re.compile(r"(?<![\w/{-])((?:[\w.-]+/)*[\w-]+\.md)(?:#([\w-]+))?")
_FILE = re.compile(r"`((?:bot|handlers|tests|docs)/(?![\w/]*\bx\.py)[\w./-]+)`")
"""`x.py` stands for any name."""
_CODE = re.compile(r"(?<![\w.-])((?:IN|SL|RT|AC|SE)-\d{1,2}|[PC]\d{1,2}|E\d{1,2})(?![\w.-]\w)")
_VAGUE = re.compile(r"\b(?:promises?|section|trap|misreading) \d+|\bpromises? (?:section|[PCEISRA])", re.I)
_CATALOGUE = re.compile(r"^\| ((?:IN|SL|RT|AC|SE)-\d+|[PC]\d+)\b", re.M)
CATALOGUES = ("docs/explanation/promises.md", "docs/explanation/security.md", "docs/design/fault-cases.md")
PRIORITIES = {"P0"}
"""Alert priorities are written like promises; the others have the names of promises that exist."""
FORMER = {"CHANGELOG.md"}
"""Tells what was, under the names of then."""

SOURCES = sorted(path for folder in ("bot", "handlers", "tests") for path in (ROOT / folder).rglob("*.py"))


@cache
def known_codes() -> set[str]:
    return {code for path in CATALOGUES for code in _CATALOGUE.findall(page(path).text)}


def prose(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.value.value
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and "noqa" not in token.string:
            yield token.string


def missing_pages(text: str) -> list[str]:
    """Pages and headings that a text of the code names and that do not exist."""
    found = []
    for path, anchor in _PAGE.findall(text):
        if not (ROOT / path).exists():
            found.append(path)
        elif anchor and anchor not in page(path).anchors():
            found.append(f"{path}#{anchor}")
    return found


@cache
def made_by_walkthroughs() -> set[str]:
    """The files that the diffs of docs/how-to/extend.md make."""
    diffs = (ROOT / "docs/examples/extend").glob("*.diff")
    return {path for diff in diffs for path in re.findall(r"^\+\+\+ b/(\S+)$", diff.read_text("utf-8"), re.M)}


def missing_files(text: str) -> list[str]:
    return [path for path in _FILE.findall(text) if not (ROOT / path).exists() and path not in made_by_walkthroughs()]


def missing_codes(text: str) -> list[str]:
    return [code for code in _CODE.findall(text) if code not in known_codes() | PRIORITIES]


def vague(text: str) -> list[str]:
    return [match[0] for match in _VAGUE.finditer(text)]


def dead(text: str) -> list[str]:
    return [*missing_pages(text), *missing_files(text), *missing_codes(text), *vague(text)]


def problems(path: Path) -> list[str]:
    """The dead references in a module's prose; it is parsed only if there is one anywhere in the file."""
    source = path.read_text("utf-8")
    return [reference for text in prose(source) for reference in dead(text)] if dead(source) else []


def test_code_and_tests_refer_only_to_what_exists() -> None:
    found = {path.relative_to(ROOT).as_posix(): problems(path) for path in SOURCES}
    assert {path: missing for path, missing in found.items() if missing} == {}


@pytest.mark.parametrize("path", [one.path for one in pages() if one.path not in FORMER])
def test_a_page_names_only_files_and_codes_that_exist(path: str) -> None:
    """Links are checked in `test_docs_links.py`."""
    text = page(path).prose
    assert missing_files(text) == []
    assert missing_codes(text) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see docs/design/slack.md#rate-limits, (C4, SE-4), P0 to P3, rule 7, `bot/ports.py`", []),
        ("see docs/design/slack.md#no-such-heading", ["docs/design/slack.md#no-such-heading"]),
        ("see slack.md section 5", ["slack.md", "section 5"]),
        ("`bot/stories/speak.py`", ["bot/stories/speak.py"]),
        ("(E9), C99: no such rule, RT-88", ["E9", "C99", "RT-88"]),
        ("promises 2.1 and trap 13", ["promises 2", "trap 13"]),
    ],
)
def test_the_check_finds_what_does_not_exist(text: str, found: list[str]) -> None:
    assert dead(text) == found


def test_the_glossary_defines_at_most_thirty_terms_once() -> None:
    terms = re.findall(r"^\| \*\*(.+?)\*\*", page("docs/reference/glossary.md").text, re.M)
    assert 20 <= len(terms) <= 30
    assert len({term.lower() for term in terms}) == len(terms)
    assert terms == sorted(terms, key=str.lower)
