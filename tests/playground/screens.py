"""The values behind what a story shows: whatever two screens say of one thing at one time, they say the same."""

import dataclasses
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from bot.core.finding import Finding
from bot.core.incident.details.events import Diagnosed, IncidentEnded
from bot.core.incident.incident import Incident
from bot.core.incident.observe import View
from bot.core.incident.timeline import Entry
from bot.core.message import Block, Message
from bot.core.pool.pool import Snapshot
from bot.core.statement import Statement
from bot.views.dialogs.scale import OTHER, chosen_of

FIGURES = frozenset(field.name for field in dataclasses.fields(Snapshot)) - {"pool", "at", "source"}
LATELY = frozenset({"creates", "registered", "create_failures"})
"""Figures of the last 15 minutes."""
LONGER = {
    ("arrived", "per_minute"): "arrivals_per_minute",
    ("jobs_take", "seconds"): "duration_p50_seconds",
    ("jobs_take", "usual"): "usual_duration_seconds",
    ("creates_refused", "creates"): "create_failures",
}
"""(evidence, its value) that is a figure by another name; the window is in its value `seconds`, where it has one."""


class Said(NamedTuple):
    """One figure as a screen says it."""

    pool: str
    figure: str
    window: float
    """Seconds over which it counts; 0: at one instant, or as its source counts it."""
    at: float
    """Epoch seconds of its sample, from which its age follows."""
    value: float


def of_sample(sample: Snapshot) -> Iterator[Said]:
    for name in FIGURES:
        value = getattr(sample, name)
        if isinstance(value, int | float):
            yield Said(sample.pool, name, 900.0 if name in LATELY else 0.0, sample.at, float(value))


def of_evidence(pool: str, at: float, seen: Statement) -> Iterator[Said]:
    for name, value in seen.values.items():
        figure = LONGER.get((seen.id, name), name)
        longer = (seen.id, name) in LONGER and name != "seconds"
        window = seen.values.get("seconds") if longer else 900.0 if figure in LATELY else 0.0
        if figure in FIGURES and isinstance(value, int | float) and not isinstance(value, bool):
            yield Said(pool, figure, float(window or 0.0) if isinstance(window, int | float) else 0.0, at, float(value))


def of_finding(pool: str, at: float, found: Finding) -> Iterator[Said]:
    """Evidence that is remembered is of the sample that showed it."""
    for seen in found.evidence:
        yield from of_evidence(pool, found.evidence_at or at, seen)


def of_parent(incident: Incident, view: View) -> Iterator[Said]:
    """The first message: newest sample, first cause and forecast of each pool."""
    for name in incident.pools.candidates:
        if (pool := view.pools.get(name)) is None or pool.latest is None:
            continue
        yield from of_sample(pool.latest)
        if (cause := view.causes.get(name)) is not None:
            yield from of_finding(name, pool.latest.at, cause)
        if pool.shown_forecast is not None:
            ends = (pool.shown_forecast.low_seconds, pool.shown_forecast.mid_seconds, pool.shown_forecast.high_seconds)
            for end, seconds in zip(("low", "middle", "high"), ends, strict=True):
                yield Said(name, f"drain {end}", 0.0, pool.latest.at, -1.0 if seconds is None else seconds)


def of_entry(entry: Entry) -> Iterator[Said]:
    """A reply: the samples in its record, and the evidence of a diagnosis."""
    at = {sample.pool: sample.at for sample in entry.figures}
    for sample in entry.figures:
        yield from of_sample(sample)
    if isinstance(entry.details, Diagnosed):
        for found in (one for group in entry.details.groups for one in group if one.pool in at):
            for finding in found.findings:
                yield from of_finding(found.pool, at[found.pool], finding)


def contradictions(sentences: Iterable[Said]) -> list[tuple[Said, float]]:
    """Each figure that has a second value for the same pool, window and time."""
    first: dict[Said, float] = {}
    known = ((one, first.setdefault(one._replace(value=0.0), one.value)) for one in sentences)
    return [(one, value) for one, value in known if one.value != value]


def totals(shown: Block) -> dict[str, set[int]]:
    """The numbers of added runners that a dialog offers, by pool."""
    found: dict[str, set[int]] = {}
    for block in shown.get("blocks", ()):  # type: ignore[attr-defined]  # a dialog's blocks
        for one in block.get("element", {}).get("options", ()):
            pool, total, now = chosen_of(str(one["value"]))
            if pool and total != OTHER:
                found.setdefault(pool, set()).add(int(total) - now)
    return found


def steps_of(message: Message) -> dict[str, str]:
    """The state of each step of a message's plan; empty without one."""
    plans = [block for block in message.blocks if block["type"] == "plan"]
    return {task["task_id"]: task["status"] for plan in plans for task in plan["tasks"]}  # type: ignore[attr-defined]


def steps_back(shown: Iterable[dict[str, str]]) -> list[str]:
    """The steps that were complete and are not any more, in what a plan showed in order."""
    done, back = set[str](), list[str]()
    for steps in shown:
        back += [name for name in done if steps.get(name) != "complete"]
        done |= {name for name, status in steps.items() if status == "complete"}
    return back


def drawn_peak(message: Message) -> float | None:
    """The highest number of jobs in the chart of a message; None without one."""
    series = [one for block in message.blocks if block["type"] == "data_visualization"
              for one in block["chart"]["series"] if one["name"] == "queued"]  # type: ignore[index]  # fmt: skip
    return max((point["value"] for one in series for point in one["data"]), default=None)


def told_peak(entries: Iterable[Entry]) -> float | None:
    """The peak of the worst pool, as the summary has it."""
    ends = [entry.details.summary.peaks for entry in entries if isinstance(entry.details, IncidentEnded)]
    return ends[-1][0].queued if ends and ends[-1] else None
