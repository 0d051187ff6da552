"""Merges what several sources know of one pool: for each figure, the first source that knows it wins."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace

from bot.core.pool.pool import Contradiction, Counted, Gap, Origin, Snapshot

NOT_FIGURES = frozenset({"pool", "at", "missing", "origins", "contradictions"})
FIGURES = tuple(field.name for field in fields(Snapshot) if field.name not in NOT_FIGURES)
"""Every figure of a sample."""
COMPARED = ("queued", "busy", "idle", "offline", "limit", "booting", "failed")
"""Figures that all sources count alike, so that a difference means that one is wrong."""
LEAST_DIFFERENCE, LEAST_SHARE = 5, 0.25
"""Smaller differences come from measuring at different moments."""
OLD_SECONDS = 300.0
"""A figure this much older than the newest one of the pool is unknown, and its age is the reason."""
GROUPS = {
    "runners": ("busy", "idle", "offline"),
    "rates": ("arrivals_per_minute", "starts_per_minute", "completions_per_minute"),
}
"""Gaps that stand for several figures."""


@dataclass(frozen=True, slots=True)
class SourceAnswer:
    """One source's contribution: its sample, or the reason why there is none."""

    source: str
    sample: Snapshot | None = None
    why: str = ""
    remedy: str = ""


def known(sample: Snapshot) -> dict[str, object]:
    """The known figures of a sample."""
    return {name: value for name in FIGURES if (value := getattr(sample, name)) not in (None, ())}


def merged(pool: str, answers: Sequence[SourceAnswer]) -> Snapshot:
    """One sample of a pool; at least one source must have given one.

    `at` is the time of the source that gave `queued`, else the newest: only that figure decides about a drain.
    """
    samples = [(one.source, one.sample) for one in answers if one.sample is not None]
    newest = max(sample.at for _, sample in samples)
    figures: dict[str, tuple[str, float, object]] = {}
    for source, sample in samples:
        for name, value in known(sample).items():
            if (at := age_of(sample, name)) >= newest - OLD_SECONDS:
                figures.setdefault(name, (source, at, value))
    values: Mapping[str, object] = {name: value for name, (_, _, value) in figures.items()}
    at = figures["queued"][1] if "queued" in figures else newest
    whole = Snapshot(pool, at, **values)  # type: ignore[arg-type]  # each name is a field of it
    gaps = tuple(gap for one in answers for gap in _gaps(one, values, newest))
    names: dict[tuple[str, float], list[str]] = {}
    for name, (source, measured_at, _) in figures.items():
        names.setdefault((source, measured_at), []).append(name)
    origins = tuple(Origin(*origin, tuple(found)) for origin, found in names.items())
    return replace(whole, missing=gaps, origins=origins, contradictions=_contradictions(samples, newest))


def age_of(sample: Snapshot, figure: str) -> float:
    """When a figure of a sample was measured (epoch seconds)."""
    return next((origin.at for origin in sample.origins if figure in origin.figures), sample.at)


def _gaps(one: SourceAnswer, values: Mapping[str, object], newest: float) -> list[Gap]:
    """The gaps of a source that no other source fills, and its figures that are too old; its name comes first."""
    if one.sample is None:
        figure = "source" if "queued" in values else "queued"
        return [Gap(figure, f"{one.source}: {one.why}", one.remedy)]
    open_gaps = [
        gap for gap in one.sample.missing if any(f not in values for f in GROUPS.get(gap.figure, (gap.figure,)))
    ]
    old = [name for name in known(one.sample) if age_of(one.sample, name) < newest - OLD_SECONDS and name not in values]
    return [
        *(replace(gap, why=f"{one.source}: {gap.why or 'gives none'}") for gap in open_gaps),
        *(Gap(name, f"{one.source}: outdated") for name in old),
    ]


def doubtful_figures(sample: Snapshot) -> frozenset[str]:
    """Figures of which one source says at least twice as much as another, so that no cause can rest on either."""
    values = {one.figure: [each.number for each in one.told] for one in sample.contradictions}
    return frozenset(figure for figure, numbers in values.items() if max(numbers) >= 2 * min(numbers))


def _contradictions(samples: Sequence[tuple[str, Snapshot]], newest: float) -> tuple[Contradiction, ...]:
    found = []
    for name in COMPARED:
        values = tuple(
            Counted(source, float(value))
            for source, sample in samples
            if (value := getattr(sample, name)) is not None and age_of(sample, name) >= newest - OLD_SECONDS
        )
        numbers = [one.number for one in values]
        if len(values) > 1 and max(numbers) - min(numbers) >= max(LEAST_DIFFERENCE, LEAST_SHARE * max(numbers)):
            found.append(Contradiction(name, values))
    return tuple(found)
