"""Reads README and docs for the tests that hold them true: pages, sections, tables, code blocks, commands and links."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.architecture.tree import ROOT

NAMES = ("README.md", "CHANGELOG.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "SECURITY.md")
_FENCE = re.compile(r"^ *```(?P<kind>\w*)\n(?P<code>.*?)^ *```$", re.M | re.S)
_HEADING = re.compile(r"^#+ (?P<title>.+)$", re.M)
_LINK = re.compile(r"(?P<image>!?)\[(?P<text>[^\]]*)\]\((?P<target>[^)\s]+)\)")
_PICTURE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_COMMAND = re.compile(r"^(?P<set>(?:[A-Z_]+=\S+ )*)(?:\./)?tailback(?P<words>(?: \S+)*)$")
_INLINE = re.compile(r"`(?:\./)?tailback ([a-z]+[^`]*)`")
_FIRST_CODE = re.compile(r"`([^`]+)`")


@dataclass(frozen=True)
class Page:
    """One page: its path from the root and its text."""

    path: str
    text: str

    @property
    def file(self) -> Path:
        return ROOT / self.path

    @property
    def prose(self) -> str:
        return _FENCE.sub("", self.text)

    def code(self, kind: str) -> list[str]:
        """The code blocks of one kind, without their indentation."""
        blocks = [match for match in _FENCE.finditer(self.text) if match["kind"] == kind]
        return ["".join(f"{line.strip()}\n" for line in match["code"].splitlines()) for match in blocks]

    def sentences(self) -> list[list[str]]:
        """The words of each sentence of running text, lists and tables; code and addresses count as one word."""
        text = _PICTURE.sub("", self.prose)
        text = re.sub(r"`[^`]*`", "code", _LINK.sub(lambda link: link["text"], text))
        text = re.sub(r"\bcode(?:, code)+", "codes", text)
        pieces = re.split(r"\n\s*\n|\n\s*(?:[*-]|\d+\.) |(?<!\\)\||^#+ .*$|<[^>]*>", text, flags=re.M)
        found = [part.split() for piece in pieces for part in re.split(r"(?<=[.!?])[)*\"”]*\s+", piece)]
        return [words for words in found if len(words) > 2]

    def section(self, title: str) -> str:
        """What stands below a heading, up to the next one of any level; fails when there is no such heading."""
        headings = list(_HEADING.finditer(self.prose))
        for here, following in zip(headings, [*headings[1:], None], strict=True):
            if here["title"] == title:
                return self.prose[here.end() : following.start() if following else None]
        raise AssertionError(f"{self.path}: there is no heading {title!r}")

    def anchors(self) -> set[str]:
        titles = (heading["title"].lower() for heading in _HEADING.finditer(self.prose))
        return {re.sub(r"[^\w\- ]", "", title).replace(" ", "-") for title in titles}

    def links(self) -> Iterator[tuple[bool, str, str]]:
        """(is it an image, text, target) of every link outside of code."""
        for match in _LINK.finditer(self.prose):
            yield match["image"] == "!", match["text"], match["target"]


@dataclass(frozen=True)
class Command:
    """One `tailback` line of a shell block: the words after it, and the variables before it."""

    words: tuple[str, ...]
    variables: tuple[tuple[str, str], ...] = ()

    @property
    def name(self) -> str:
        return " ".join(["tailback", *self.words])


def pages() -> list[Page]:
    files = [*(ROOT / name for name in NAMES), *sorted((ROOT / "docs").rglob("*.md"))]
    return [Page(file.relative_to(ROOT).as_posix(), file.read_text("utf-8")) for file in files]


def page(path: str) -> Page:
    return Page(path, (ROOT / path).read_text("utf-8"))


def shell_lines() -> list[tuple[str, str]]:
    """(page, line) of every line of a shell block."""
    found = [(one.path, line) for one in pages() for block in one.code("sh") for line in block.splitlines()]
    return [(path, line) for path, line in found if line]


def command_of(line: str) -> Command | None:
    """The `tailback` command of a shell line; None for any other line."""
    match = _COMMAND.match(line)
    if not match:
        return None
    variables = tuple(tuple(part.split("=", 1)) for part in match["set"].split())
    return Command(tuple(match["words"].split()), variables)


def spoken_commands() -> list[tuple[str, tuple[str, ...]]]:
    """(page, words) of every `tailback …` in running text."""
    return [(one.path, tuple(words.split())) for one in pages() for words in _INLINE.findall(one.prose)]


def rows(section: str) -> dict[str, list[str]]:
    """The rows of a section's tables, by the code in their first cell; the cells are text."""
    found = {}
    for line in section.splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]
        if line.startswith("|") and (name := _FIRST_CODE.match(cells[0])):
            found[name[1]] = cells
    return found


def first_code(cell: str) -> str:
    """The first piece of code in a table's cell; empty when it has none."""
    match = _FIRST_CODE.match(cell)
    return match[1] if match else ""


def target_of(path: str, target: str) -> tuple[Path, str]:
    file, _, anchor = target.partition("#")
    return ((ROOT / path).parent / file if file else ROOT / path), anchor
