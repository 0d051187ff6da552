"""Every integration has a page, the pages are alike, the overview lists all of them, and each is tried by a test."""

import re

import pytest

from bot.adapters.registry import ALERTMANAGERS, METRICS, SCALERS
from bot.sources.registry import SOURCES
from tests.architecture.tree import ROOT
from tests.integrations.checking import PAGES

KINDS = sorted({*METRICS, *SCALERS, *ALERTMANAGERS, *SOURCES, "github_issue"})
"""Also the source behind `POST /github`, which is in no table of `POST /alerts/…`."""
HEADINGS = (
    "Set it up|Webhooks",
    "Least permission",
    "What it sees.*",
    ".*[Tt]raps",
    "When `tailback check` reports a problem",
)
"""GitHub's page has two ways, each with its own set-up."""
LISTED = re.compile(r"^\| \[[^\]]+\]\(([\w-]+)\.md\) \| `(\w+)` \| [^|]+ \| [^|]+ \|$", re.MULTILINE)
TESTS = {path.name: path.read_text("utf-8") for path in (ROOT / "tests" / "integrations").glob("test_*.py")}


def overview() -> dict[str, str]:
    """Kind → the name of its page, as docs/integrations/README.md says."""
    return {kind: name for name, kind in LISTED.findall((PAGES / "README.md").read_text("utf-8"))}


def pages() -> list[str]:
    return sorted(path.stem for path in PAGES.glob("*.md") if path.stem != "README")


def test_the_overview_has_every_kind_and_every_page_once() -> None:
    """A kind that is registered and not listed is known to nobody."""
    assert sorted(overview()) == KINDS
    assert sorted(overview().values()) == pages()


@pytest.mark.parametrize("name", pages())
def test_the_pages_are_alike(name: str) -> None:
    """Whoever has read one finds their way in all of them."""
    headings = re.findall(r"^#{2,3} (.+)$", (PAGES / f"{name}.md").read_text("utf-8"), re.MULTILINE)
    missing = [wanted for wanted in HEADINGS if not any(re.fullmatch(wanted, heading) for heading in headings)]
    assert missing == []


@pytest.mark.parametrize("name", pages())
def test_the_doctor_examines_the_configuration_of_each_page(name: str) -> None:
    """Its own test, or one that it shares, runs the page's blocks through `tailback check`."""
    asking = re.compile(rf"""(checked|found)\(\s*"{name}"|parametrize\("page", \[[^\]]*"{name}\"""")
    assert [file for file, text in TESTS.items() if asking.search(text)], f"write tests/integrations/test_{name}.py"


@pytest.mark.parametrize(("kind", "name"), sorted(overview().items()))
def test_each_page_shows_its_kind(kind: str, name: str) -> None:
    """In a block that can be copied; alert sources are named by their path."""
    text = (PAGES / f"{name}.md").read_text("utf-8")
    path = "/github" if kind == "github_issue" else f"/alerts/{kind}"
    assert f'kind = "{kind}"' in text or f"`POST {path}`" in text or f"{path}`" in text
