"""The attacks of tests/security/attacks.py as one table: `python -m tests.security [--before TREE]`.

With the tree of an earlier release the column "before" is measured too (set TAILBACK_EXTRA_PATH to packages that this
release no longer needs); otherwise it shows what was reported of 0.2.0, marked with *. Takes about two minutes.
"""

import argparse
import asyncio
import sys
import tempfile
from pathlib import Path

from tests.bench.storm import measured
from tests.faults.servers import ROOT
from tests.security.attacks import ATTACKS, Attack, target

STORM_REPORTED = "15-35*"


def figure(attack: Attack, tree: Path) -> float:
    """One attack on a fresh installation of that tree."""

    async def run(folder: str) -> float:
        async with target(Path(folder), tree) as web:
            return await attack.run(web)

    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(run(folder))


def row(*cells: str) -> str:
    """One line of the table: attack, unit, before, after, allowed, verdict."""
    return "{:58} {:4} {:>14} {:>10} {:>8}  {}".format(*cells).rstrip()


def main() -> int:
    """Print the table; 1 when a limit is broken."""
    parser = argparse.ArgumentParser(prog="python -m tests.security", description=__doc__.splitlines()[0])
    parser.add_argument("--before", type=Path, help="the tree of an earlier release, to measure it too")
    earlier = parser.parse_args().before
    print(row("attack", "unit", "before", "after", "allowed", ""))
    broken = 0
    for attack in ATTACKS:
        before = f"{attack.reported}*" if earlier is None else f"{figure(attack, earlier.resolve()):,.1f}"
        after = figure(attack, ROOT)
        kept = after <= attack.most
        broken += not kept
        print(row(attack.name, attack.unit, before, f"{after:,.1f}", f"{attack.most:g}", "" if kept else "BROKEN"))
        sys.stdout.flush()
    worst = measured(500, workers=3, arrive=2.0).worst
    name = "storm of 500 groups: until each is named in the channel"
    print(row(name, "s", STORM_REPORTED, f"{worst:.1f}", "5", "" if worst <= 5 else "BROKEN"))
    if earlier is None:
        print("* as reported of 0.2.0, not measured in this run")
    else:
        print("* as reported of 0.2.0: that release has no benchmark of storms")
    return 1 if broken or worst > 5 else 0


if __name__ == "__main__":
    sys.exit(main())
