"""Builds docs/ as a site with search: `sphinx-build -W -c docs/site . OUT`, by what requirements.lock names.

The pages are those that a repository host shows. The navigation is read from the lists of docs/README.md.
"""

import html
import re
from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive

project = "Tailback"
copyright = "the Tailback contributors"  # noqa: A001 - the name that Sphinx reads
extensions = ["myst_parser"]
root_doc = "docs/README"
include_patterns = ["docs/**", "CHANGELOG.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "SECURITY.md"]
exclude_patterns = [".*", "bot", "data", "deploy", "dist", "handlers", "tests"]
suppress_warnings = ["misc.highlighting_failure"]  # PromQL has no lexer
myst_heading_anchors = 4
myst_fence_as_directive = ["mermaid"]
html_theme = "furo"
html_title = "Tailback"
html_show_sourcelink = False
html_show_sphinx = False
html_copy_source = False
html_extra_path = ["index.html"]
MERMAID = "https://cdn.jsdelivr.net/npm/mermaid@11/dist/mermaid.esm.min.mjs"
_SECTION = re.compile(r"^## (?P<title>.+)\n(?P<text>(?:(?!## ).*\n)*)", re.M)
_ENTRY = re.compile(r"\]\((?P<page>[^)#:]+)\.md\)")
_NEIGHBOR = re.compile(r"\]\((?P<page>[\w.-]+)\.md\)")


class Mermaid(Directive):
    """A diagram: the reader's browser draws it; without a network its text stays readable."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """The text in the element that Mermaid looks for, and Mermaid itself."""
        text = html.escape("\n".join(self.content))
        script = f'<script type="module">import mermaid from "{MERMAID}"; mermaid.run();</script>'
        return [nodes.raw("", f'<pre class="mermaid">{text}</pre>{script}', format="html")]


def navigation(_: Any, docname: str, source: list[str]) -> None:
    """Add hidden tables of contents: the home page's sections, the neighbors of an overview, the stories."""
    if docname == root_doc:
        parts = [(section["title"], _ENTRY.findall(section["text"])) for section in _SECTION.finditer(source[0])]
    elif docname.endswith("/README"):
        parts = [("", _NEIGHBOR.findall(source[0]))]
    elif docname.endswith("docs/messages"):
        parts = [("", _ENTRY.findall(source[0]))]
    else:
        return
    for title, entries in parts:
        listed = "\n".join(dict.fromkeys(entries))
        caption = f":caption: {title}\n" if title else ""
        source[0] += f"\n\n```{{toctree}}\n:hidden:\n{caption}\n{listed}\n```\n"


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("source-read", navigation)
    app.add_directive("mermaid", Mermaid)
