"""What the sum of a query rests on: its newest sample, and clusters and targets whose series have ended."""

import re

from bot.adapters.http.client import HttpAnswer
from bot.adapters.prometheus.answers import Unknown, samples
from bot.adapters.prometheus.presets import COPIES, LARGER
from bot.ports import Unreachable

SELECTOR = r"""[a-zA-Z_:][a-zA-Z0-9_:]*(?:\{(?:[^{}"']|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')*\})?"""
TOGETHER = r"(?:max without \([\w, ]+\) \()?"
SUMMED = rf"(?:sum|max|min|avg|count)\s*(?:(?:by|without)\s*\([^()]*\)\s*)?\(\s*{TOGETHER}({SELECTOR})\s*\)+"
PLAIN = re.compile(rf"\s*(?:{SUMMED}|({SELECTOR}))\s*")
LESS = re.compile(rf"\s*clamp_min\(\s*{SUMMED}\s*-\s*{SUMMED}\s*,\s*0\s*\)\s*")
ONE = re.compile(rf"sum\({TOGETHER}({SELECTOR})\)")
"""Queries such as `a - b`, as in the preset `arc`: two series of one exporter, of one age."""
ADDED = re.compile(
    rf"(?!{re.escape(COPIES)})(?:clamp_min\(\s*)?sum\s*(?:(?:by|without)\s*\([^()]*\)\s*)?\(|{re.escape(LARGER)}"
)
"""How a query begins that adds up what its targets say; a maximum may be that of copies."""
AGE, SILENT = "age", "silent"
"""Questions beside the figures: the newest sample of `queued`, and the clusters and targets that it lacks."""
TARGET = ("instance", "job")
"""The labels of what is scraped, of its series and of `up`."""
CLUSTER, SILENT_FOR = "cluster", "1h"
"""A cluster whose series ended in this time is missing. Origin: judgement; one that was taken away is forgotten."""


def beside(query: str) -> dict[str, str]:
    """The questions beside the query of `queued`, by name; none for longer expressions."""
    series = newest_of(query)
    if not series:
        return {}
    ages = " or ".join(f"timestamp({one})" for one in series)
    ended = [*map(_ended, series), *(map(_down, series) if ADDED.match(query.strip()) else ())]
    return {AGE: f"max({ages})", SILENT: " or ".join(ended)}


def _ended(series: str) -> str:
    """A query for the clusters that had such series lately and have none now; a sum of the others is not the queue."""
    return (
        f"count by ({CLUSTER}) (max_over_time({series}[{SILENT_FOR}])) unless on ({CLUSTER}) "
        f"count by ({CLUSTER}) ({series})"
    )


def _down(series: str) -> str:
    """A query for the targets that had such series lately and cannot be scraped now.

    Their series end at once, while those of the others stay (https://prometheus.io/docs/concepts/jobs_instances/).
    """
    target = f"({', '.join(TARGET)})"
    return (
        f"(count by {target} (max_over_time({series}[{SILENT_FOR}])) unless on {target} "
        f"count by {target} ({series})) and on {target} (up == 0)"
    )


def silent(answer: HttpAnswer | Unreachable | None) -> list[str]:
    """The clusters and targets that are missing in a sum; none where series name neither."""
    try:
        found = () if answer is None or isinstance(answer, Unreachable) else samples(answer)
    except Unknown:
        return []
    return sorted(
        {" of ".join(f"{name} {value}" for name, value in one.labels.items() if value) for one in found} - {""}
    )


def newest_of(query: str) -> tuple[str, ...]:
    """The series in a query whose age can be queried; none for longer expressions."""
    if query.startswith(LARGER):
        series = ONE.findall(query)
        return series[0], series[-1]
    if difference := LESS.fullmatch(query):
        return (difference[1],)
    found = PLAIN.fullmatch(query)
    return (found[1] or found[2],) if found else ()
