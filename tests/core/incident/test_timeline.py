"""A timeline stays small, and what was done stays in it."""

from bot.core.incident.timeline import KEPT_ENTRIES, Entry, Event, shortened


def entries(*events: Event, who: str | None = None, first: int = 1) -> tuple[Entry, ...]:
    return tuple(Entry(first + i, 0.0, event, None, who) for i, event in enumerate(events))


def test_a_short_timeline_is_left_alone() -> None:
    full = entries(*[Event.STATUS] * KEPT_ENTRIES)
    assert shortened(full) == full


def test_the_oldest_status_goes_first() -> None:
    full = entries(*[Event.JOINED] * 2, *[Event.STATUS] * 2, *[Event.SCALED] * KEPT_ENTRIES)
    assert [entry.number for entry in shortened(full)][:2] == [5, 6]
    assert [entry.number for entry in shortened(full[:-1])][:2] == [2, 5]
    assert [entry.number for entry in shortened(full[:-3])][:3] == [1, 2, 4]


def test_what_people_did_is_never_dropped() -> None:
    deeds = entries(*[Event.NOTED] * (KEPT_ENTRIES + 5), who="U1")
    assert shortened(deeds) == deeds


def test_days_of_flapping_do_not_grow_the_record() -> None:
    kept: tuple[Entry, ...] = entries(Event.OPENED)
    for number in range(2, 1000):
        event = Event.JOINED if number % 2 else Event.ALERT_RESOLVED
        kept = shortened((*kept, *entries(event, first=number)))
    assert len(kept) == KEPT_ENTRIES
    assert (kept[0].event, kept[-1].number) == (Event.OPENED, 999)
