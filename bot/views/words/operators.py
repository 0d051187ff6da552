"""How far work in the background has come, for operators."""

from collections.abc import Mapping, Sequence

from bot.core.pool.backfill import DaysLeft
from bot.core.words import count, listed
from bot.views.words.causes import CAUSES, cause_name

ONE_APP_EACH = (
    "give each Tailback a Slack app of its own; where they must share one, set slack.installation in one of them"
)


def history_left(left: DaysLeft) -> str:
    """`The history of 412 pools is being filled in: 5,840 days are left.`"""
    pools, days = count(left.pools, "pool"), count(left.days, "day")
    return f"The history of {pools} is being filled in: {days} {'is' if left.days == 1 else 'are'} left."


def foreign_connections(number: str | None) -> str:
    """What is said of this many connections of Socket Mode that are not ours; empty of none."""
    if not number or number == "0":
        return ""
    others = count(int(number), "process", "processes")
    return f"At least {others} of another Tailback {'takes' if number == '1' else 'take'} clicks with this app token"


MOST_IN_A_ROW = 40


def matrix_lines(
    pools: str, given: Mapping[str, Sequence[str]], silent: Sequence[str], found: Sequence[str]
) -> list[str]:
    """A row for each source, the figures that nothing gave just now (`silent`), and the causes by id (`found`)."""
    never = [cause_name(cause) for cause in CAUSES if cause not in found]
    named = listed(map(cause_name, found), MOST_IN_A_ROW)
    causes = f"{count(len(found), 'cause')} of {len(CAUSES)} can be named: {named}"
    lines = [f"{source} gives {listed(names, MOST_IN_A_ROW) or 'nothing more'}" for source, names in given.items()]
    lines += [f"unknown right now: {listed(silent, MOST_IN_A_ROW)}"] if silent else []
    lines += [f"{causes}; never named: {listed(never, MOST_IN_A_ROW)}" if never else causes]
    return [f"{pools}: {one}" for one in lines]
