"""Incidents judged from their figures alone, without a thread: the causes, the advice and the forecast."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from bot.context.causes import advised, forecast_with_cause, scaling_of
from bot.core.finding import Diagnosis, Moment, facts_of
from bot.core.pool.outlook import Forecast, Verdict
from bot.core.pool.pool import Pool, PoolRules, Snapshot, slimmed
from bot.core.pool.retention import kept
from bot.diagnosis.rank import diagnosed
from bot.views.words.forecasts import WIDEST
from tests.builders import NOW, POOL
from tests.reports.courses import MOMENTS, PAST_MINUTES, QUIET, Course, Figures

SILENT: Figures = {}
"""The source answers nothing in this minute."""


class Advice(NamedTuple):
    """What is said a quarter of an hour after the alert; None: either is right, as nobody can tell."""

    remedy: str = ""
    helps: str | None = None
    """Whether more runners help: yes, no, harm or unknown."""
    open: bool | None = None
    """Whether the forecast leaves open when the queue ends."""


NOTHING = Advice()


@dataclass(frozen=True)
class Judgement:
    """A pool that is well, its figures by minutes since the trouble began, and what is right at each moment."""

    well: Figures
    trouble: Course
    alert: int
    causes: tuple[str, ...]
    advice: Advice = NOTHING
    pool: str = POOL
    beside: int = 0
    """Other pools with the same figures."""

    def samples(self, moment: int) -> tuple[Snapshot, ...]:
        """Those that are kept so many minutes after the alert."""
        found = list[Snapshot]()
        for minute in range(-PAST_MINUTES, moment + 1):
            since = minute + self.alert
            figures = {**self.well, **(more := self.trouble(float(since)))} if since >= 0 else self.well
            if since < 0 or more:
                found.append(Snapshot(self.pool, NOW + 60 * minute, **{**QUIET, **figures}))
        return kept((*map(slimmed, found[:-1]), found[-1]))


def judged(judgement: Judgement, moment: int) -> tuple[Diagnosis, Pool]:
    """The diagnosis and the pool so many minutes after the alert, both with the forecast's advice."""
    names = (judgement.pool, *(f"other-{number}" for number in range(judgement.beside)))
    pools = {name: Pool(name, judgement.samples(moment)) for name in names}
    rules: Mapping[str, PoolRules] = {name: PoolRules(name) for name in names}
    facts = facts_of(names, pools, rules, Moment(NOW + 60 * moment))[0]
    found, pool = diagnosed(facts), pools[judgement.pool]
    if moment != MOMENTS[1] or found.blind:
        return found, pool
    pool = Pool(pool.id, pool.samples, outlook=forecast_with_cause(pool, rules[pool.id], found))
    return advised(found, pool, rules[pool.id]), pool


def _wide(made: Forecast) -> bool:
    """Whether its ends are so far apart that messages give no time."""
    return made.high_seconds is None or made.high_seconds > WIDEST * (made.low_seconds or 0.0)


def answers(judgement: Judgement) -> tuple[tuple[str, ...], Advice]:
    """The first cause at each moment; the advice, without what the judgement leaves open."""
    causes, said, right = list[str](), Advice(), judgement.advice
    for moment in MOMENTS:
        found, pool = judged(judgement, moment)
        first = found.claims[0] if found.claims else None
        causes.append(first.cause if first else "")
        assert first or not found.waits or found.seen, "what is seen is said where no cause is"
        if moment != MOMENTS[1]:
            continue
        made = pool.outlook
        helps = scaling_of(pool.outlook, first).value
        leaves_open = made is None or made.verdict is not Verdict.INTERVAL or _wide(made)
        said = Advice(
            first.remedy if first else "",
            None if right.helps is None else helps,
            None if right.open is None else leaves_open,
        )
    return tuple(causes), said
