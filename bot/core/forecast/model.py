"""The interface of the queue model: what was seen of a pool in, plain numbers out.

Times are in seconds unless a name says minutes; beyond the horizon of two days they are infinite. Nothing is raised:
`seen_of` refuses before what cannot be read. numpy is imported by the first question, so other processes stay small.
"""

from collections.abc import Iterable, Sequence

from bot.core.forecast.seen import Seen
from bot.core.pool.early_warning import Threshold
from bot.core.pool.outlook import AddedRunners, Foreseen, Quantiles, Reach

RateSteps = list[tuple[float, float, float]]
"""(jobs that arrive, share of the running jobs that end, runners) in each step of the past."""


def foreseen(seen: Seen, pool: str, reach: Reach) -> Foreseen:
    """The drain if nobody acts, and what the most runners that may be added at once would do."""
    from bot.core.forecast import answers, state

    return answers.foreseen(state.state_of(seen, pool), reach)


def effects(seen: Seen, pool: str, counts: Iterable[int], reach: Reach) -> tuple[AddedRunners, ...]:
    """What each number of added runners does, none first; never less than fewer do."""
    from bot.core.forecast import answers, state

    return answers.effects(state.state_of(seen, pool), counts, reach)


def starts(seen: Seen, pool: str, ahead: Sequence[float], *, as_it_is: bool = False) -> list[Quantiles]:
    """When the jobs with so many ahead of them start; `as_it_is`: if nothing is repaired."""
    from bot.core.forecast import answers, state, walk

    until = walk.Until.NEVER if as_it_is else walk.Until.DRAWN
    found = walk.walk(state.state_of(seen, pool), walk.Question(until=until, drained=False))
    return [answers.starts(found, before) for before in ahead]


def crossing(
    seen: Seen, pool: str, limits: Sequence[Threshold], ages: Sequence[float], minutes: float
) -> list[tuple[float, Quantiles]]:
    """(the probability that it is crossed, when) of each threshold within these minutes.

    `ages`: minutes that each job of now has waited, the oldest first.
    """
    from bot.core.forecast import answers, state

    return answers.crossing(state.state_of(seen, pool), limits, ages, minutes)


def lived_again(start: tuple[float, float], quiet: float, rows: Sequence[RateSteps]) -> list[float]:
    """The queue at the end of the past for each row; all but the first begin with a quiet queue."""
    from bot.core.forecast import answers

    return answers.lived_again(start, quiet, rows)
