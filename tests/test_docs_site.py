"""The pages as a site: built without a warning, no link leads to nothing, and search finds every page."""

import subprocess
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

import pytest

from tests.architecture.tree import ROOT
from tests.docs_pages import pages

pytestmark = pytest.mark.needs("sphinx-build")


class Html(HTMLParser):
    """What a page links to, and what can be linked to in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.ids: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.ids |= {given["id"]} if "id" in given else set()
        name = {"a": "href", "link": "href", "img": "src", "script": "src"}.get(tag)
        self.links |= {given[name]} if name and name in given else set()


def built_site(folder: Path) -> Path:
    """The folder with the built site; a warning, for example about a link, is an error."""
    command: list[str | Path] = [
        "sphinx-build",
        "-q",
        "-W",
        "--keep-going",
        "-d",
        folder / "cache",
        "-c",
        "docs/site",
        ".",
        folder / "out",
    ]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    return folder / "out"


def test_the_site_has_every_page_and_no_link_leads_to_nothing(tmp_path: Path) -> None:
    """One test, since two processes would each build it: half a minute."""
    site = built_site(tmp_path)
    _leads_somewhere(site)
    _has_every_page(site)


def _leads_somewhere(site: Path) -> None:
    """Pages, headings, pictures, files to download, styles and scripts; the first address leads to the home page."""
    built = {path: Html(path.read_text("utf-8")) for path in site.rglob("*.html")}
    broken = []
    for path, page in built.items():
        for link in page.links:
            address, anchor = urldefrag(link)
            if urlsplit(link).scheme:
                continue
            target = (path.parent / unquote(urlsplit(address).path)).resolve() if address else path
            known = target not in built or not anchor or anchor in built[target].ids
            if not target.is_file() or not known:
                broken.append(f"{path.relative_to(site)}: {link}")
    assert broken == []
    assert (site / "docs/README.html") in built
    assert "docs/README.html" in built[site / "index.html"].links


def _has_every_page(site: Path) -> None:
    """The README is not, since the home page of the site takes its place."""
    index = (site / "searchindex.js").read_text("utf-8")
    names = {one.path.removesuffix(".md") for one in pages()} - {"README"}
    assert [name for name in sorted(names) if not (site / f"{name}.html").is_file() or f'"{name}"' not in index] == []
