"""The words of answers about a job. Nothing decides on these sentences."""

from collections.abc import Mapping, Sequence

from bot.core.jobs.answer import JobsAhead, JobStart
from bot.core.jobs.found import Unfound
from bot.core.pool.outlook import Verdict
from bot.core.statement import Statement
from bot.core.words import count, listed
from bot.views.words.forecasts import REASONS as FORECAST_REASONS
from bot.views.words.interval import about, bound, when
from bot.views.words.phrase import in_words

UNFOUND = {
    Unfound.NO_ADDRESS: (
        "This is no address of a job. Give the address of a job, a run or a pull request, or a job's number."
    ),
    Unfound.NO_SOURCE: "No configured source knows the jobs of this address.",
    Unfound.NOT_FOUND: "Tailback does not know this job. It knows jobs that wait or run, and those of the last hour.",
    Unfound.LONGEST_ONLY: "Tailback's source knows only the jobs that wait or run longest, and this is none of them.",
    Unfound.NEEDS_TOKEN: "Tailback may not read which jobs belong to this address.",
    Unfound.UNREACHABLE: "The job could not be looked up. Try again in a minute.",
}


def unfound_words(reason: Unfound, why: str = "", remedy: str = "") -> str:
    """Why there is no answer, and what to do about it."""
    parts = [UNFOUND[reason], *(f"{part[:1].upper()}{part[1:]}." for part in (why, remedy) if part)]
    return " ".join(parts)


ENDINGS = {
    "success": "It succeeded",
    "failure": "It failed",
    "cancelled": "It was cancelled",
    "skipped": "It was skipped, so it never waited for a runner",
    "timed_out": "It took longer than it may",
}
"""How a job ended, by the provider's word; another word is shown as it is."""
REASONS: Mapping[str, str] = {
    **FORECAST_REASONS,
    "no_pool": "no configured pool takes its labels",
    "no_label": "it asks for no label, so its pool is known only once it runs",
    "not_measured": "the pool was never measured",
    "figures_old": "the pool has had no new figures for a while",
    "no_position": "its place in the queue is not known",
}
"""Why a start is not known."""
ESTIMATE = "The order is an estimate: CI providers do not strictly start the oldest job first."


def start_words(start: JobStart, now: float) -> str:
    """`will probably start in 25 to 50 min`, from now on; the figures are some seconds older."""
    gone = max(0.0, now - start.at)
    low, high = ((None if end is None else max(0.0, end - gone)) for end in (start.low_seconds, start.high_seconds))
    median = start.median_seconds
    if start.kind is Verdict.UNTIL_REPAIRED:
        once = f". If that takes as long as usual, {when(low, high)}" if low is not None and high else ""
        return f"will not start before the cause is repaired{once}"
    if low is None:
        return "will probably not start within two days"
    if high is None:
        about_when = f", rather in {about(max(60.0, median - gone))}" if median is not None else ""
        return f"will start in {bound(low, down=True)} at the earliest{about_when}"
    return f"will probably start {when(low, high)}"


def ahead_words(ahead: JobsAhead) -> str:
    """How many jobs are ahead: exactly, or about."""
    if ahead.high == 0:
        return "No job is ahead of it."
    if ahead.low == ahead.high:
        return f"{count(ahead.high, 'job is', 'jobs are')} ahead of it."
    return f"{ahead.low:,} to {count(ahead.high, 'job is', 'jobs are')} ahead of it."


def unknown_start(reason: Statement | None) -> str:
    """Why a start is not known."""
    why = f": {in_words(reason, REASONS)}" if reason is not None else ""
    return f"Its start is not known{why}."


def ending_words(conclusion: str) -> str:
    """How it ended; empty if that is not known."""
    return ENDINGS.get(conclusion, f"It ended with: {conclusion}" if conclusion else "It has ended")


NOT_WAITING = "This job does not wait any more, so there is nothing to follow."
NOT_FOLLOWED = "You don't follow this. App Home lists what you follow."
NOTHING_FOLLOWED = "You follow no job and no pool."
END_IT = "It ends after a day, or with `unfollow`."


def too_many(most: int) -> str:
    return f"You follow {most} jobs and pools already, which is the most. End one with `unfollow`."


def no_queue(pools: Sequence[str]) -> str:
    return f"No job waits longer than normal in {listed(pools)}, so there is nothing to follow."


def following_job(jobs: int) -> str:
    what = "the job starts, or never can" if jobs == 1 else f"none of the {jobs:,} jobs waits any more"
    return f"You get one direct message when {what}. {END_IT}"


def following_pools(pools: Sequence[str]) -> str:
    has = "has" if len(pools) == 1 else "each have"
    return f"You get one direct message when {listed(pools)} {has} drained. {END_IT}"


def unfollowed(number: int) -> str:
    return f"You no longer follow {count(number, 'job or pool', 'jobs or pools')}."
