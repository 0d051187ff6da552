"""A named cause stays while evidence comes and goes, and gives way to a clear lead."""

from dataclasses import replace

from bot.core.finding import HIGH, LOW, MEDIUM, Diagnosis, Finding, Scaling
from bot.core.incident.held_cause import HeldCause, judged, remembered
from bot.core.statement import statement

HELPS = {"surge": Scaling.HELPS}


def found(*causes: tuple[str, float], blind: bool = False) -> Diagnosis:
    seen = (statement("calls_left", calls=1),)
    each = tuple(Finding(cause, sure, seen, HELPS.get(cause, Scaling.NO), "stop_calling") for cause, sure in causes)
    return Diagnosis("p", each, (), waits=bool(causes), blind=blind)


def after(*steps: Diagnosis, queued: int = 10, minutes: int = 1) -> HeldCause | None:
    held: HeldCause | None = None
    for number, one in enumerate(steps):
        held = judged(held, one, 60.0 * minutes * number, queued)
    return held


def name(held: HeldCause | None) -> str:
    return held.finding.cause if held else ""


LIMIT, HUNG = found(("limit", MEDIUM), ("hung", MEDIUM)), found(("hung", MEDIUM), ("limit", MEDIUM))


def test_a_rival_needs_three_measurements_in_a_row_or_a_clear_lead() -> None:
    assert name(after(LIMIT, HUNG, LIMIT, HUNG, HUNG)) == "limit"
    assert name(after(LIMIT, HUNG, HUNG, HUNG)) == "hung"
    clear = found(("stockout", HIGH), ("limit", MEDIUM))
    assert name(after(LIMIT, clear)) == "limit"
    assert name(after(LIMIT, clear, clear)) == "stockout"
    assert name(after(found(("surge", LOW)), clear)) == "stockout", "high confidence replaces low at once"


def test_a_cause_that_has_stood_for_long_gives_way_to_a_clear_lead_only() -> None:
    assert name(after(*[LIMIT] * 30, *[HUNG] * 20)) == "limit"
    assert name(after(*[LIMIT] * 30, *[found(("stockout", HIGH), ("limit", MEDIUM))] * 4)) == "stockout"


def test_the_cause_of_a_queue_is_not_what_is_seen_while_it_drains() -> None:
    held = after(LIMIT, queued=100)
    for number in range(1, 9):
        held = judged(held, HUNG, 60.0 * number, 85 - 9 * number)
    assert name(held) == "limit"
    assert judged(held, HUNG, 480.0, 100) == held
    assert judged(held, found(("blind", HIGH), blind=True), 900.0, None) == held
    assert name(judged(held, found(), 960.0, 100)) == "limit"
    for number in range(9, 13):
        held = judged(held, HUNG, 60.0 * number, 30)
    assert name(held) == "limit", "a rise that is short of half its longest is no new growth"
    for number in range(13, 16):
        held = judged(held, HUNG, 60.0 * number, 65)
    assert name(held) == "hung"


def test_evidence_that_is_gone_while_the_queue_drains_has_the_time_when_it_was_seen() -> None:
    def last_seen(held: HeldCause | None) -> float | None:
        return remembered(held, found()).findings[0].last_seen

    held = after(LIMIT, LIMIT, queued=100)
    for number in (2, 3, 4):
        held = judged(held, found(), 60.0 * number, 100)
    assert last_seen(held) is None, "it comes and goes while the queue lasts"
    for number in (5, 6, 7):
        assert last_seen(held) is None
        held = judged(held, found(), 60.0 * number, 50)
    assert last_seen(held) == 60.0
    assert remembered(held, LIMIT).findings[0].last_seen is None
    seen = judged(held, HUNG, 480.0, 45)
    assert name(seen) == "limit"
    assert last_seen(seen) is None


def test_opposite_advice_needs_twice_as_many_measurements_or_a_clear_lead() -> None:
    helps = found(("surge", MEDIUM), ("limit", MEDIUM))
    assert name(after(LIMIT, *[helps] * 5)) == "limit"
    assert name(after(LIMIT, *[helps] * 6)) == "surge"
    assert name(after(LIMIT, *[found(("surge", HIGH), ("limit", MEDIUM))] * 2)) == "surge"


def test_the_remembered_cause_comes_first_and_a_blind_source_is_called_blind() -> None:
    held = after(LIMIT)
    assert [one.cause for one in remembered(held, HUNG).claims] == ["limit", "hung"]
    assert held is not None
    less_sure = HeldCause(replace(held.finding, confidence=LOW), 0, 0)
    assert [one.confidence for one in remembered(less_sure, HUNG).claims] == [LOW, LOW]
    assert [one.cause for one in remembered(held, found()).claims] == ["limit"]
    assert [one.cause for one in remembered(held, found(("blind", HIGH), blind=True)).claims] == ["blind"]
    assert remembered(None, found()).claims == ()


def test_a_guess_that_no_rule_finds_in_three_samples_lapses() -> None:
    guess = found(("surge", LOW))
    held = after(guess, found(), found())
    assert [one.cause for one in remembered(held, found()).claims] == ["surge"]
    held = judged(held, found(), 180.0, 10)
    assert remembered(held, found()).claims == ()
    assert name(judged(held, LIMIT, 240.0, 10)) == "limit"
    sure = after(LIMIT, *[found()] * 5)
    assert [one.cause for one in remembered(sure, found()).claims] == ["limit"]
