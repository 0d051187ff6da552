"""Runs the configuration of a page of docs/integrations through the doctor, with addresses that lead to a stand-in."""

import re
from collections.abc import Mapping
from pathlib import Path

from bot.config import load
from handlers.tools.doctor.check import examined
from handlers.tools.doctor.findings import CheckFinding
from handlers.wiring_tools import check_targets
from tests.architecture.tree import ROOT

PAGES = ROOT / "docs" / "integrations"
BLOCK = re.compile(r"^```toml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BACK_ENDS = {"configuration", "metrics", "scaler", "alertmanager"}


def configuration(page: str) -> str:
    """All toml blocks of a page in docs/integrations, in order: together they are its minimal configuration."""
    blocks = BLOCK.findall((PAGES / f"{page}.md").read_text("utf-8"))
    assert blocks, f"docs/integrations/{page}.md has no toml block"
    return "\n".join(blocks)


async def checked(
    page: str, folder: Path, instead: Mapping[str, str], variables: Mapping[str, str] | None = None
) -> list[CheckFinding]:
    """What the doctor finds in the back ends of a page's configuration; texts of `instead` are replaced first.

    Each text must stand in the configuration, so that a page that changes is noticed.
    """
    text = configuration(page)
    for found, other in instead.items():
        assert found in text, f"docs/integrations/{page}.md does not say {found!r}"
        text = text.replace(found, other)
    path = folder / "tailback.toml"
    path.write_text(text if "[slack]" in text else f'[slack]\nchannel = "C0CIONCALL"\n{text}')
    settings = load({**(variables or {}), "TAILBACK_CONFIG": str(path), "TAILBACK_DATA": str(folder / "data")})
    async with check_targets(settings) as tools:
        findings = await examined(settings, tools)
    return [finding for finding in findings if finding.area in BACK_ENDS]


def said(one: CheckFinding) -> str:
    """What is wrong and what to do, as the doctor's line says it."""
    return f"{one.text}; {one.remedy}"
