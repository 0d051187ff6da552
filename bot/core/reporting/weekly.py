"""Computes when a channel's weekly report is due, in its time zone, from the record of the last one."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from bot.core.message import MessageRecord
from bot.core.reporting.recurrence import local_time

WEEK = timedelta(days=7)
LATE_SECONDS = 86400.0
"""A report that could not be posted for this long is dropped."""


@dataclass(frozen=True, slots=True)
class Weekly(MessageRecord):
    """The record of one channel's weekly report; times in epoch seconds."""

    id: str
    """The channel."""
    done_for: float = 0.0
    """The last report time that was done, by a post or because there was nothing to report."""
    begun_for: float = 0.0
    """The report time whose post was started: from then on Slack may have it."""


@dataclass(frozen=True, slots=True)
class WeeklySchedule:
    """Every week at that hour of that day (0 is Monday), in the zone."""

    weekday: int
    hour: int
    zone: tzinfo = UTC

    def last(self, now: float) -> float:
        """The latest one not after `now`; epoch seconds."""
        local = local_time(now, self.zone)
        day = local.date() - timedelta(days=(local.weekday() - self.weekday) % 7)
        at = self._at(day)
        return at if at <= now else self._at(day - WEEK)

    def before(self, at: float) -> float:
        """The one a week earlier: 167, 168 or 169 hours, because of daylight saving."""
        return self._at(local_time(at, self.zone).date() - WEEK)

    def after(self, at: float) -> float:
        return self._at(local_time(at, self.zone).date() + WEEK)

    def _at(self, day: date) -> float:
        """A skipped hour is taken as before the change; of a repeated one the first counts."""
        return datetime.combine(day, time(self.hour), self.zone).timestamp()


def weekly_key(at: float) -> str:
    """The key of a channel's post of that week, the same for every process."""
    return f"weekly/{at:.0f}"
