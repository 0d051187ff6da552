"""How far work in the background has come, for operators."""

from bot.core.pool.backfill import DaysLeft
from bot.core.words import count

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
