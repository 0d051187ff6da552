"""Runs the configuration of a page of docs/integrations through the doctor, with addresses that lead to a stand-in."""

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from bot.config import load
from handlers.doctor.check import examined
from handlers.doctor.findings import CheckFinding
from handlers.wiring_tools import check_targets
from tests.architecture.tree import ROOT

PAGES = ROOT / "docs" / "integrations"
BACK_ENDS = {"configuration", "metrics", "scaler", "alertmanager"}


def blocks(page: str, language: str) -> list[str]:
    """The code blocks of a page in docs/integrations, in order."""
    text = (PAGES / f"{page}.md").read_text("utf-8")
    found = re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert found, f"docs/integrations/{page}.md has no {language} block"
    return found


async def checked(
    page: str, folder: Path, instead: Mapping[str, str], variables: Mapping[str, str] | None = None
) -> list[CheckFinding]:
    """What the doctor finds in the back ends of a page's configuration; texts of `instead` are replaced first.

    All its toml blocks together are its minimal configuration. Each text must stand in it, so that a page that changes
    is noticed.
    """
    text = "\n".join(blocks(page, "toml"))
    for found, other in instead.items():
        assert found in text, f"docs/integrations/{page}.md does not say {found!r}"
        text = text.replace(found, other)
    path = folder / "tailback.toml"
    path.write_text(text if "[slack]" in text else f'[slack]\nchannel = "C0CIONCALL"\n{text}')
    settings = load({**(variables or {}), "TAILBACK_CONFIG": str(path), "TAILBACK_DATA": str(folder / "data")})
    async with check_targets(settings) as tools:
        findings = await examined(settings, tools)
    return [finding for finding in findings if finding.area in BACK_ENDS]


def only(findings: Iterable[CheckFinding], area: str) -> CheckFinding:
    """The one finding about an area."""
    (one,) = [finding for finding in findings if finding.area == area]
    return one


def line_of(one: CheckFinding) -> str:
    """What is wrong and what to do, as the doctor's line says it."""
    return f"{one.text}; {one.remedy}"


def actions_of(page: str) -> set[str]:
    """The actions that the page's IAM policy allows."""
    (text,) = blocks(page, "json")
    policy = json.loads(text)
    assert policy["Version"] == "2012-10-17"
    assert {statement["Effect"] for statement in policy["Statement"]} == {"Allow"}
    lists = [statement["Action"] for statement in policy["Statement"]]
    return {action for one in lists for action in ([one] if isinstance(one, str) else one)}
