"""How good the early warnings are: `nice python -m tests.bench.early [pool-weeks] [first seed]`.

Rough pools live a week in which nothing is broken, then a trouble; with and without known weeks. A warning without a
crossing is false, a crossing without a warning is missed.
"""

import argparse
from collections import deque
from dataclasses import replace
from statistics import median

from bot.core.forecast.evaluate_warning import Measurement, advanced, expected, thresholds
from bot.core.pool.early_warning import WarningHistory
from bot.core.pool.history import usual_ahead
from bot.core.pool.pool import Snapshot
from tests.bench.rough import HOUR, MINUTE, Rough, past, spec

WEEK_SECONDS = 7 * 24 * HOUR
AFTER_SECONDS = 4 * HOUR
KEPT = 240


def watched(seed: int, weeks: int) -> tuple[WarningHistory, list[float]]:
    """(the outcomes of a pool's warnings, how long before the crossing the right ones came)."""
    one = spec(seed)
    rules = replace(one.rules, warn_wait_seconds=one.alert_minutes * MINUTE)
    world, limits = Rough(one, start=-WEEK_SECONDS), thresholds(rules)
    early, series, leads = WarningHistory(), deque[Snapshot](maxlen=KEPT), list[float]()
    known = past(one, weeks + 1)
    for hour in range(int(-WEEK_SECONDS // HOUR), int(AFTER_SECONDS // HOUR)):
        ahead = usual_ahead(known, hour) if weeks else ()
        for _ in range(60):
            sample, before = world.minute(), early.current
            series.append(sample)
            coming = expected(tuple(series), rules, limits, ahead) if sample.queued else ()
            early = advanced(early, Measurement(sample.at, sample, limits, coming))
            now = early.current
            if now and now.crossed_at and (before is None or before.crossed_at is None):
                leads.append(now.crossed_at - now.began_at)
    return early, leads


def main() -> None:
    """Print the table."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("weeks", nargs="?", type=int, default=12)
    asked.add_argument("first", nargs="?", type=int, default=70_000)
    given = asked.parse_args()
    print("known weeks   pool-weeks   false a week   right   missed   median lead")
    for known in (0, 4):
        found = [watched(seed, known) for seed in range(given.first, given.first + given.weeks)]
        false, hits = sum(early.false for early, _ in found), sum(early.hits for early, _ in found)
        leads = [lead for _, of_one in found for lead in of_one]
        lead = f"{median(leads) / 60:.0f} min" if leads else "-"
        missed = sum(early.missed for early, _ in found)
        print(f"{known:>11}   {given.weeks:>10}   {false / given.weeks:>12.2f}   {hits:>5}   {missed:>6}   {lead}")


if __name__ == "__main__":
    main()
