"""Asks Prometheus for all figures of a pool in one query, and takes the answer apart again."""

from collections.abc import Collection, Mapping
from dataclasses import replace

from bot.adapters.http.client import HttpAnswer
from bot.adapters.metrics.rows import inner

FIGURE = "tailback_figure"
"""The label that says which figure a series belongs to."""


def together(queries: Mapping[str, str]) -> str:
    """One query for several by figure; each may end in a comment. Prometheus refuses it if one of them is wrong."""
    return " or ".join(f'label_replace({_vector(query)}\n, "{FIGURE}", "{name}", "", "")'
                       for name, query in queries.items())  # fmt: skip


def taken_apart(answer: HttpAnswer, names: Collection[str]) -> dict[str, HttpAnswer] | None:
    """Figure → the answer to its own query; None if this is no answer to `together`."""
    body: Mapping[str, object] = answer.body if isinstance(answer.body, dict) else {}
    data = inner(body, "data")
    rows = data.get("result")
    if not answer.ok or not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        return None
    found: dict[object, list[object]] = {name: [] for name in names}
    for row in rows:
        labels = dict(inner(row, "metric"))
        figure = labels.pop(FIGURE, None)
        if figure not in found:
            return None
        found[figure].append({**row, "metric": labels})
    return {name: replace(answer, body={**body, "data": {**data, "result": found[name]}}) for name in names}


def _vector(query: str) -> str:
    """A number is no vector, which a label needs."""
    try:
        return f"vector({float(query):g})"
    except ValueError:
        return query
