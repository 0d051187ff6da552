"""How often the diagnosis names the true cause: labelled troubles on the simulated fleet, several seeds each.

Run with `python -m tests.bench.diagnosis [seeds] [first seed]`.
"""

import argparse
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from bot.core.finding import Diagnosis, Moment, facts_of
from bot.core.pool.pool import Pool
from bot.diagnosis.rank import diagnosed
from tests.bench.fleet_eye import Eye, rules_of
from tests.bench.troubles import BEFORE_SECONDS, MAKERS, MIXED, Trouble, mixed, trouble

ALERT_SECONDS = 1500.0
"""The oldest job has waited that long when somebody asks."""
LATEST_SECONDS = 5 * 3600.0
HEALTHY_SECONDS = 2 * 3600.0


@dataclass(frozen=True)
class Answer:
    """What was asked, and what the diagnosis said; None when no queue came of it."""

    trouble: Trouble
    diagnosis: Diagnosis | None

    @property
    def named(self) -> tuple[str, ...]:
        """The causes in the order in which they were named."""
        return tuple(f.cause for f in self.diagnosis.findings) if self.diagnosis else ()


def ask(chosen: Trouble) -> Answer:
    """Live on until the queue of the troubled pool would alert, then diagnose it as the product does."""
    fleet = chosen.fleet()
    eyes = {name: Eye(fleet, name, chosen.hidden) for name in fleet.pools}
    rules = {name: rules_of(fleet, name) for name in fleet.pools}
    fleet.advance(-BEFORE_SECONDS + 3600)
    minute = fleet.now_seconds
    while minute < LATEST_SECONDS:
        minute += 60
        fleet.advance(minute)
        for eye in eyes.values():
            eye.look()
        sample = eyes[chosen.pool].series[-1]
        waits = (sample.oldest_wait_seconds or 0) > ALERT_SECONDS and (sample.queued or 0) > rules[chosen.pool].floor
        if minute > 0 and (waits or (not chosen.causes and minute >= HEALTHY_SECONDS)):
            pools = {name: Pool(name, tuple(eye.series)) for name, eye in eyes.items()}
            every = facts_of(list(pools), pools, rules, Moment(minute, 60.0))
            return Answer(chosen, diagnosed(next(f for f in every if f.pool == chosen.pool)))
    return Answer(chosen, None)


@dataclass(frozen=True)
class Row:
    """One cause over its seeds."""

    name: str
    asked: int
    first: int
    second: int
    wrong: str


def judged(name: str, answers: Iterable[Answer]) -> Row:
    """Count how often the true cause came first, and among the first two; of two causes one first, both in three."""
    answers = [a for a in answers if a.diagnosis is not None]
    first = second = 0
    wrong: Counter[str] = Counter()
    for answer in answers:
        true, said = set(answer.trouble.causes), answer.named
        right = (not said) if not true else bool(said) and said[0] in true
        first += right
        second += (not said) if not true else true <= set(said[: 1 + len(true)])
        if not right:
            wrong[said[0] if said else "unknown"] += 1
    return Row(name, len(answers), first, second, ", ".join(f"{n} ×{c}" for n, c in wrong.most_common()))


def suite(seeds: range) -> list[Row]:
    """Every cause, every mixture, and the healthy fleet."""
    rows = [judged(cause or "healthy", (ask(trouble(cause, seed)) for seed in seeds)) for cause in MAKERS]
    return rows + [judged(f"{a} + {b}", (ask(mixed((a, b), s)) for s in seeds)) for a, b in MIXED]


def main() -> None:
    """Print the table."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("seeds", nargs="?", type=int, default=10)
    asked.add_argument("first", nargs="?", type=int, default=0)
    given = asked.parse_args()
    rows = suite(range(given.first, given.first + given.seeds))
    print(f"{'cause':<24}{'asked':>6}{'top-1':>8}{'top-2':>8}  instead")
    for row in rows:
        print(f"{row.name:<24}{row.asked:>6}{row.first:>8}{row.second:>8}  {row.wrong}")
    one = [row for row in rows if " + " not in row.name]
    total = sum(row.asked for row in one)
    first, second = sum(r.first for r in one) / total, sum(r.second for r in one) / total
    print(f"{'all but the mixed':<24}{total:>6}{first:>8.0%}{second:>8.0%}")
    print("mixed: top-1 is one of the two, top-2 is both among the first three")


if __name__ == "__main__":
    main()
