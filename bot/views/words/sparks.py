"""A queue over time as one line of text: a few bars, and the same in words."""

from collections.abc import Sequence

from bot.core.charts.sparkline import MOST_BARS
from bot.core.incident.details.queue import Spark
from bot.core.words import clock, count, duration

BARS = "▁▂▃▄▅▆▇█"
GAP = "·"
"""Unknown."""


def spark_lines(sparks: Sequence[Spark], more_pools: int = 0) -> tuple[str, ...]:
    """One line per pool, and one for the others."""
    lines = tuple(_line(spark) for spark in sparks)
    return (*lines, f"{count(more_pools, 'more pool')} not drawn") if more_pools > 0 else lines


def sparkline(values: Sequence[float | None], most: int = MOST_BARS) -> str:
    """Bars from zero to the maximum; with more than `most` values, the maximum of each part."""
    parts = [list(values[i * len(values) // most : (i + 1) * len(values) // most]) for i in range(most)]
    shown = list(values) if len(values) <= most else [max((v for v in p if v is not None), default=None) for p in parts]
    top = max((v for v in shown if v is not None), default=0.0)
    return "".join(GAP if v is None else BARS[round((len(BARS) - 1) * v / top) if top else 0] for v in shown)


def _line(spark: Spark) -> str:
    bars = sparkline(spark.bars)
    unknown = f" ({GAP} unknown)" if GAP in bars else ""
    longest = spark.longest_wait_seconds
    wait = f"; longest wait {duration(longest)}" if longest is not None else ""
    span = spark.ends_at - spark.begins_at
    begins, ends, at_peak = (clock(at, span) for at in (spark.begins_at, spark.ends_at, spark.peak_at))
    return (
        f"{spark.pool} {bars}{unknown} jobs queued from {begins} to {ends} UTC: "
        f"first {spark.first:,.0f}, peak {spark.peak:,.0f} at {at_peak}, last {spark.last:,.0f}{wait}"
    )
