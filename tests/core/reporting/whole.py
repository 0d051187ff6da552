"""A report from hours that are all at hand; the product reads them in portions (`bot/reporting/collect.py`)."""

from collections.abc import Iterable, Mapping

from bot.core.pool.hour_stats import HourStats
from bot.core.reporting.hours import Hours, hours_in
from bot.core.reporting.summary import Report, ReportData, basis, completed, drafts

NO_HOURS: Mapping[str, tuple[HourStats, ...]] = {}


def report(
    data: ReportData, pasts: Mapping[str, tuple[HourStats, ...]] = NO_HOURS, only: Iterable[str] | None = None
) -> Report:
    """The report on all pools that are configured, measured or named by an incident, or on the chosen ones."""
    base = basis(data, only)
    hours = {name: hours_in(cells, data.since, data.until, data.target_seconds) for name, cells in pasts.items()}
    names = [name for name in (*base.names, *pasts) if only is None or name in set(only)]
    return completed(base, drafts(base, hours, names), {**{name: Hours() for name in names}, **hours})
