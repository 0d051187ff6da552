"""How fast a recording is played: simulated hours in a second, with an incident open and without one.

Run with `python -m tests.bench.replay [hours]`.
"""

import argparse
import shutil
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from bot.playground.fleet.scenarios import SCENARIOS, Scenario
from handlers.tools.replay import replayed
from tests.architecture.tree import ROOT
from tests.bench.recorded import EXAMPLE, Taken, record

CALM = replace(EXAMPLE, pools=tuple(replace(pool, bursts=()) for pool in EXAMPLE.pools))
FULL = SCENARIOS["limit-reached"]


def measured(scenario: Scenario, hours: float) -> tuple[float, int]:
    """(seconds that a replay of so many hours takes, lines of its transcript)."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        record(folder, scenario, Taken(hours, 60.0, lead_seconds=0.0))
        shutil.copy(ROOT / "docs/examples/replay/tailback.toml", folder)
        begun = time.perf_counter()
        told = replayed(folder)
        return time.perf_counter() - begun, len(told.splitlines())


def main() -> None:
    """Print one row for each kind of recording."""
    parser = argparse.ArgumentParser(description="How fast a recording is played.")
    parser.add_argument("hours", type=float, nargs="?", default=24.0)
    hours = parser.parse_args().hours
    print(f"{'recording':<34}{'hours':>7}{'seconds':>9}{'hours a second':>16}{'lines':>7}")
    rows = {"2 pools, calm": CALM, "2 pools, one incident": EXAMPLE, "4 pools, an incident throughout": FULL}
    for name, scenario in rows.items():
        seconds, lines = measured(scenario, hours)
        print(f"{name:<34}{hours:>7g}{seconds:>9.1f}{hours / seconds:>16.1f}{lines:>7}")


if __name__ == "__main__":
    main()
