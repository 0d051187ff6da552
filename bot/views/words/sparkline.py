"""A pool's queue as one line of text, for a thread whose chart is not drawn."""

from collections.abc import Sequence

from bot.core.incident.details.events import Spark
from bot.core.incident.sparkline import MOST_BARS
from bot.core.words import clock, count, duration

BARS = "▁▂▃▄▅▆▇█"
GAP = "·"
"""Unknown."""


def spark_lines(sparks: Sequence[Spark], more_pools: int = 0) -> tuple[str, ...]:
    lines = []
    for spark in sparks:
        bars = sparkline(spark.bars)
        unknown = f" ({GAP} unknown)" if GAP in bars else ""
        wait = "" if spark.longest_wait_seconds is None else f"; longest wait {duration(spark.longest_wait_seconds)}"
        span = spark.ends_at - spark.begins_at
        begins, ends, at_peak = (clock(at, span) for at in (spark.begins_at, spark.ends_at, spark.peak_at))
        lines.append(
            f"{spark.pool} {bars}{unknown} jobs queued from {begins} to {ends} UTC: "
            f"first {spark.first:,.0f}, peak {spark.peak:,.0f} at {at_peak}, last {spark.last:,.0f}{wait}"
        )
    return (*lines, f"{count(more_pools, 'more pool')} not drawn") if more_pools > 0 else tuple(lines)


def sparkline(values: Sequence[float | None]) -> str:
    """Bars from zero to the maximum; with more than `MOST_BARS` values, the maximum of each part."""
    number = min(MOST_BARS, len(values))
    parts = (values[i * len(values) // number : (i + 1) * len(values) // number] for i in range(number))
    shown = [max((value for value in part if value is not None), default=None) for part in parts]
    top = max((value for value in shown if value is not None), default=0.0)
    return "".join(GAP if v is None else BARS[round((len(BARS) - 1) * v / top) if top else 0] for v in shown)
