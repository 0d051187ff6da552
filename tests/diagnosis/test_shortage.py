"""Signals of machines and services become causes when they became bad with the trouble, and no longer than that."""

from dataclasses import replace

import pytest

from bot.core.finding import HIGH, LOW, MEDIUM, Facts, Finding
from bot.core.incident.held_cause import judged, remembered
from bot.core.pool.merge import SourceAnswer, merged
from bot.core.pool.pool import PoolRules, Snapshot
from bot.core.signals.signal import SignalKind, slim
from bot.core.statement import statement
from bot.diagnosis.machines.shortage import RULES
from bot.diagnosis.rank import diagnosed
from bot.views.words.causes import remedy_of
from tests.diagnosis.rows import AT, POOL, SAYS, SLOWER, became, became_slow, lately, machines, service, troubled

DISK, CPU = SignalKind.DISK, SignalKind.CPU


def first(found: Facts) -> Finding | None:
    """What these rules find."""
    return diagnosed(found, RULES).top


@pytest.mark.parametrize(
    ("found", "cause", "sure"),
    [
        (became(DISK, 14), "short_of_disk", HIGH),
        (became(DISK, 14, completions_per_minute=4.0), "short_of_disk", HIGH),
        (became(CPU, 20), "short_of_cpu", HIGH),
        (became(CPU, 20, completions_per_minute=None), "short_of_cpu", MEDIUM),
        (became_slow(), "slow_service", HIGH),
        (lately(became(CPU, 20), 20, **SLOWER), "short_of_cpu", HIGH),
        (lately(replace(became(CPU, 20), series=became(CPU, 20).series[-40:]), 40), "short_of_cpu", LOW),
        (lately(became(DISK, 14), 1, signals=machines(DISK, 0)), "short_of_disk", HIGH),
        (became(DISK, 14, minutes=20), "short_of_disk", HIGH),
        (replace(became(DISK, 2), rules=PoolRules(POOL)), None, None),
        (became(DISK, 14, before=14), None, None),
        (became(CPU, 20, before=18), None, None),
        (became(CPU, 20, completions_per_minute=2.0, starts_per_minute=2.0), None, None),
        (lately(became(DISK, 14), 2, signals=machines(DISK, 0)), None, None),
        (lately(became(DISK, 0), 45, signals=machines(DISK, None)), None, None),
        (troubled(45, {"signals": service(82.0)}, **SLOWER), None, None),
        (lately(troubled(45, {"signals": service(4.0)}, **SLOWER), 3, signals=service(82.0)), None, None),
        (lately(became_slow(), 2, signals=service(4.0)), None, None),
    ],
    ids=[
        *(
            "half of the disks",
            "jobs fail at once",
            "every processor, and jobs take twice as long",
            "the pace is unknown",
            "a registry",
        ),
        *(
            "since a while",
            "before is unknown",
            "one look says that all is well",
            "twenty minutes ago",
            "two disks of twenty",
        ),
        *("as bad as ever", "as many as before", "jobs end as ever", "well for two samples", "unknown is not well"),
        *("slow as ever", "not for long enough", "quick again"),
    ],
)
def test_a_signal_is_a_cause_while_it_is_worse_than_before(found: Facts, cause: str | None, sure: float | None) -> None:
    top = first(found)
    assert (top.cause if top else None, top.confidence if top else None) == (cause, sure)


def test_busy_machines_are_compared_with_busy_machines() -> None:
    """A surge: all 20 work now, 4 did before, and each that works has no CPU to spare, as ever."""
    few = {"signals": machines(CPU, 4), "busy": 4, "idle": 16, "completions_per_minute": None}
    rush = troubled(45, few, signals=machines(CPU, 20), busy=20, idle=0, completions_per_minute=None)
    assert first(rush) is None
    rested = {**few, "signals": machines(CPU, 0)}
    assert first(troubled(45, rested, signals=machines(CPU, 20), completions_per_minute=None)) is not None


def test_the_evidence_counts_machines() -> None:
    top, slow = first(became(DISK, 14)), first(became_slow())
    assert top is not None
    assert slow is not None
    assert top.evidence == (
        statement("machines_short", machines=14, of=20, unit="machine", says=SAYS, remedy="", before=0, ago=2700.0),
    )
    (crossed,) = slow.evidence
    assert crossed.id == "signal_crossed"
    shown = {"name": "registry", "value": 82.0, "above": 60.0, "below": None, "usual": 4.0, "seconds": 2640.0}
    assert shown.items() <= crossed.values.items()


@pytest.mark.parametrize(
    ("rules", "figures", "shared"),
    [
        (PoolRules(POOL), {}, False),
        (PoolRules(POOL, runners_per_machine=4), {}, True),
        (PoolRules(POOL), {"machines": 5}, True),
        (PoolRules(POOL), {"machines": 20}, False),
    ],
)
def test_several_runners_on_one_machine_share_what_is_short(
    rules: PoolRules, figures: dict[str, int], shared: bool
) -> None:
    most = 5 if shared else 20
    well = {"signals": machines(CPU, 0, most), **figures}
    found = troubled(45, well, signals=machines(CPU, most, most), **SLOWER, **figures)
    top = first(replace(found, rules=rules))
    assert top is not None
    assert top.shared is shared
    assert (top.remedy == "fewer_on_a_machine") is shared
    assert (top.evidence[-1] == statement("runners_share", runners=4)) is shared


def test_a_pod_has_its_own_limit() -> None:
    well = {"signals": machines(CPU, 0, unit="pod")}
    found = troubled(45, well, signals=machines(CPU, 20, unit="pod"), **SLOWER)
    top = first(replace(found, rules=PoolRules(POOL, runners_per_machine=4)))
    assert top is not None
    assert not top.shared
    shown = {"machines": 20, "of": 20, "unit": "pod"}
    assert shown.items() <= top.evidence[0].values.items()


@pytest.mark.parametrize("kind", [DISK, SignalKind.IO, SignalKind.MEMORY, CPU])
def test_a_new_machine_has_room_on_its_disk(kind: SignalKind) -> None:
    """Whatever else is short is taken by jobs, and a new machine gets the same ones."""
    top = first(troubled(45, {"signals": machines(kind, 0)}, signals=machines(kind, 14), **SLOWER))
    assert top is not None
    assert top.fresh is (kind is DISK)


def test_the_operators_advice_is_said() -> None:
    top = first(troubled(45, {"signals": machines(DISK, 0)}, signals=machines(DISK, 14, remedy="Clean /work.")))
    assert top is not None
    assert remedy_of(top) == "Clean /work."


def test_the_incident_forgets_it_when_it_is_well_for_two_looks() -> None:
    """Until then it stays, also while nothing is known; another cause takes its place at once."""
    bad = became(DISK, 14)
    held = judged(None, diagnosed(bad), AT, 30)
    assert held is not None
    assert held.finding.cause == "short_of_disk"
    silent = replace(bad, series=(*bad.series[:-1], replace(bad.now, signals=machines(DISK, None))))
    held = judged(held, diagnosed(silent), AT + 60, 30)
    assert held is not None
    assert held.finding.cause == "short_of_disk"
    well = diagnosed(lately(bad, 2, signals=machines(DISK, 0)))
    assert well.top is not None
    after = judged(held, well, AT + 120, 30)
    assert after is not None
    assert after.finding.cause == well.top.cause == "hung"


def test_where_nothing_else_is_found_it_is_said_as_of_then() -> None:
    bad = became(DISK, 14)
    held = judged(None, diagnosed(bad, RULES), AT, 30)
    well = diagnosed(lately(bad, 2, signals=machines(DISK, 0)), RULES)
    after = remembered(judged(held, well, AT + 60, 30), well).top
    assert after is not None
    assert (after.cause, after.last_seen) == ("short_of_disk", AT)


@pytest.mark.parametrize(("of", "known", "why"), [(20, None, 20), (None, 25, 25), (None, None, None), (40, 25, None)])
def test_more_machines_in_trouble_than_exist_is_a_contradiction(
    of: int | None, known: int | None, why: int | None
) -> None:
    sample = Snapshot(POOL, AT, queued=3, machines=known, signals=machines(DISK, 30, of))
    (signal,) = merged(POOL, [SourceAnswer("", sample)]).signals
    gaps = {gap.figure: gap.why for gap in merged(POOL, [SourceAnswer("", sample)]).missing}
    assert (signal.value is None) is (why is not None)
    expected = f"prometheus: contradiction, 30/{why}"
    assert gaps.get("signal.disk") == (expected if why else None)


def test_older_samples_keep_the_numbers_that_are_known() -> None:
    (kept,) = slim((*machines(DISK, 14), *machines(CPU, None)))
    assert (kept.name, kept.value, kept.of, kept.says) == ("disk", 14, 20, "")
