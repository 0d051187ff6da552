"""Measures which lines and branches of the code the tests reach: `pytest -p tests.measured`. Under FLOOR it fails.

It has to be loaded with `-p`, before anything of `bot`. Slipcover writes its marks into the code as it is imported and
takes them out once they were reached: that costs a third more time, where a tracer doubles it.
"""

import json
from pathlib import Path
from typing import Any

import pytest
import slipcover

FLOOR = 97.0
"""Percent of lines and branches that the tests must reach."""

OUTSIDE = {"adapters", "playground"}
"""Packages that are tested against the outside, by processes that are not measured."""

PLACES = [place for place in sorted(Path("bot").resolve().iterdir()) if place.name not in OUTSIDE]
SEEN = slipcover.Slipcover(branch=True, source=[str(place) for place in PLACES if place.is_dir()])
slipcover.ImportManager(SEEN, slipcover.FileMatcher(sources=PLACES)).__enter__()
reached: dict[str, Any] = SEEN.get_coverage()
"""What this process and its workers have reached, in Slipcover's own form."""


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    if found := getattr(node, "workeroutput", {}).get("reached"):
        slipcover.merge_coverage(reached, json.loads(found))


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker hands over, before it takes its leave; the process that the others report to judges by FLOOR."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["reached"] = json.dumps(SEEN.get_coverage())
        return
    slipcover.merge_coverage(reached, SEEN.get_coverage())
    if percent() < FLOOR and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def percent() -> float:
    share: float = reached["summary"]["percent_covered"]
    return share


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says the share; names what was not reached when it is too small."""
    if percent() < FLOOR:
        slipcover.print_coverage(reached, outfile=terminalreporter._tw._file, skip_covered=True)
    terminalreporter.line(f"The tests reach {percent():.2f} % of the lines and branches; {FLOOR} % are needed.")
