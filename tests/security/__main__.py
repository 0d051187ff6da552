"""The attacks of tests/security/attacks.py as one table: `python -m tests.security`. Takes about a minute.

`python -m tests.security floods` prints those of floods.py, through the shipped proxies; about two minutes.
"""

import asyncio
import sys
import tempfile
from pathlib import Path

from tests.bench.storm import measured
from tests.security.attacks import ATTACKS, Attack, target
from tests.security.floods import table


def figure(attack: Attack) -> float:
    """One attack on a fresh installation."""

    async def run(folder: str) -> float:
        async with target(Path(folder)) as web:
            return await attack.run(web)

    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(run(folder))


async def floods() -> None:
    """Print the table of floods."""
    async for row in table():
        print(row, flush=True)


def main() -> int:
    """Print the table; 1 when a limit is broken."""
    print(f"{'attack':58} {'unit':4} {'figure':>10} {'allowed':>8}")
    worst = measured(500, workers=3, arrive=2.0).worst
    figures = [("storm of 500 groups: until each is named in the channel", "s", worst, 5.0)]
    figures += [(attack.name, attack.unit, figure(attack), attack.most) for attack in ATTACKS]
    for name, unit, found, most in figures:
        print(f"{name:58} {unit:4} {found:>10,.1f} {most:>8g}  {'' if found <= most else 'BROKEN'}".rstrip())
    return int(any(found > most for _, _, found, most in figures))


if __name__ == "__main__":
    sys.exit(asyncio.run(floods()) if "floods" in sys.argv else main())
