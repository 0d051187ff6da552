"""spinnaker/spinnaker#2106: the step that resizes an autoscaled group passes, and the group keeps its size."""

from pathlib import Path

from tests.adapters.back_end import BackEnd
from tests.reports.fleet import Fleet

FLEET = """#!/bin/sh
case $1 in size) echo '{"current": 5, "desired": 5, "min": 0, "max": 40}' ;; resize) exit 0 ;; esac
"""


async def test_a_program_that_ends_well_and_changes_nothing_is_found_out(tmp_path: Path) -> None:
    """By what it says of the size afterwards, and by the runners that did not come."""
    made = tmp_path / "fleet"
    made.write_text(FLEET)
    made.chmod(0o755)
    fleet = Fleet()
    fleet.knows("prometheus", queued=30, oldest_wait_seconds=2400.0, busy=5, idle=0, limit=40)
    table = {"kind": "command", "read": [str(made), "size"], "set": [str(made), "resize", "{target}"]}
    fleet.scaled_by(table, BackEnd().parts())
    await fleet.fires()
    assert "no effect after 6 min. Only 5 runners online (the target there is 5 now)" in await fleet.scaled(15)
