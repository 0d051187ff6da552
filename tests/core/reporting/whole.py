"""A report from hours that are all at hand; the product reads them in portions (`bot/reporting/collect.py`)."""

from collections.abc import Iterable, Mapping

from bot.core.pool.history import PoolHistory, finished
from bot.core.pool.hour_stats import HourStats
from bot.core.reporting.hours import cells_of, hours_of
from bot.core.reporting.summary import Report, ReportData, basis, completed, drafts

NO_HOURS: Mapping[str, tuple[HourStats, ...]] = {}


def report(
    data: ReportData, pasts: Mapping[str, tuple[HourStats, ...]] = NO_HOURS, only: Iterable[str] | None = None
) -> Report:
    """The report on all pools that are configured, measured or named by an incident, or on the chosen ones."""
    base, records = basis(data, only), {name: finished(PoolHistory(name), cells) for name, cells in pasts.items()}
    days = {name: hours_of(past, None, data.since, data.until) for name, past in records.items()}
    hours = {name: cells_of(past, None, data.since, data.until) for name, past in records.items()}
    names = [name for name in (*base.names, *pasts) if only is None or name in set(only)]
    return completed(base, drafts(base, days, names), hours)
