"""What the tests of the scalers' pages share: the doctor's one finding about the scaler, and the page's policy."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

from handlers.tools.doctor.findings import CheckFinding
from tests.integrations.checking import PAGES, checked

POLICY = re.compile(r"^```json\n(.*?)^```$", re.MULTILINE | re.DOTALL)


async def scaler_finding(
    page: str, folder: Path, instead: Mapping[str, str], variables: Mapping[str, str] | None = None
) -> CheckFinding:
    """What the doctor says of the scaler of a page's configuration: one finding."""
    found = await checked(page, folder, instead, variables)
    (one,) = [finding for finding in found if finding.area == "scaler"]
    return one


def actions_of(page: str) -> set[str]:
    """The actions that the page's IAM policy allows."""
    (text,) = POLICY.findall((PAGES / f"{page}.md").read_text("utf-8"))
    policy = json.loads(text)
    assert policy["Version"] == "2012-10-17"
    assert {statement["Effect"] for statement in policy["Statement"]} == {"Allow"}
    lists = [statement["Action"] for statement in policy["Statement"]]
    return {action for one in lists for action in ([one] if isinstance(one, str) else one)}
