"""terraform-google-modules/terraform-google-vm#64: a group with an autoscaler refuses to be resized by anybody else."""

from pathlib import Path

from tests.adapters.back_end import BackEnd
from tests.reports.fleet import Fleet

SENTENCE = "Resizing of autoscaled managed instance groups is not allowed: set the autoscaling policy to OFF"
FLEET = f"""#!/bin/sh
case $1 in size) echo 5 ;; resize) echo "ERROR: {SENTENCE}" >&2; exit 1 ;; esac
"""


async def test_the_programs_own_sentence_reaches_the_thread(tmp_path: Path) -> None:
    """It holds the remedy; "exit 1" would send somebody to a log."""
    made = tmp_path / "fleet"
    made.write_text(FLEET)
    made.chmod(0o755)
    fleet = Fleet()
    fleet.knows("prometheus", queued=30, oldest_wait_seconds=2400.0, busy=5, idle=0, limit=40)
    table = {"kind": "command", "read": [str(made), "size"], "set": [str(made), "resize", "{target}"]}
    fleet.scaled_by(table, BackEnd().parts())
    await fleet.fires()
    assert SENTENCE in await fleet.scaled(15)
