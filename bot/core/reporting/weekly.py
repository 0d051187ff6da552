"""When a channel's weekly report is due, by the wall clock of its zone; what was posted stands in a record."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from bot.core.message import MessageRecord
from bot.core.reporting.recurrence import moment

WEEK = timedelta(days=7)
LATE_SECONDS = 86400.0
"""A report that could not be posted for that long is left out: it would be about a week that nobody thinks of."""


@dataclass(frozen=True, slots=True)
class Weekly(MessageRecord):
    """The record of one channel's weekly report; times in epoch seconds."""

    id: str
    """The channel."""
    done_for: float = 0.0
    """The appointment that was kept last, by a post or because there was nothing to tell."""
    begun_for: float = 0.0
    """The appointment whose post was begun: from then on Slack may have it."""


@dataclass(frozen=True, slots=True)
class Appointment:
    """Every week at that hour of that day (0 is Monday), by the clock of the zone."""

    weekday: int
    hour: int
    zone: tzinfo = UTC

    def last(self, now: float) -> float:
        """The newest one that is not later than `now`; epoch seconds."""
        local = moment(now, self.zone)
        day = local.date() - timedelta(days=(local.weekday() - self.weekday) % 7)
        at = self._at(day)
        return at if at <= now else self._at(day - WEEK)

    def before(self, at: float) -> float:
        """The one a week before an appointment: 167, 168 or 169 hours earlier, as the clocks were put."""
        return self._at(moment(at, self.zone).date() - WEEK)

    def after(self, at: float) -> float:
        """The one a week after an appointment."""
        return self._at(moment(at, self.zone).date() + WEEK)

    def _at(self, day: date) -> float:
        """An hour that the clocks leave out is taken as if they had not been put yet; of two the first counts."""
        return datetime.combine(day, time(self.hour), self.zone).timestamp()


def weekly_key(appointment: float) -> str:
    """What a channel's post of that week carries, by which it is found again: the same for every process."""
    return f"weekly/{appointment:.0f}"
