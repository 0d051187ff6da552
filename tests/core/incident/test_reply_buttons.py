"""The log of an incident: buttons below replies are decided and drawn again, and the timeline stays small."""

from bot.core.incident.details.events import PlainText
from bot.core.incident.incident import Incident, noted, reply_posted
from bot.core.incident.reply_buttons import decided, offering, placed, reworded
from bot.core.incident.timeline import KEPT_ENTRIES, Decision, Entry, Event, shortened
from tests.builders import NOW, incident

PAIR = ("approve", "decline")


def offered() -> Incident:
    return offering(noted(incident(), NOW, Event.APPROVAL, PlainText("asked")), "a1", PAIR, whom="U2")


def test_the_newest_entry_offers() -> None:
    entry = offered().log.timeline[-1]
    assert (entry.about, entry.choices, entry.whom) == ("a1", PAIR, "U2")
    assert offered().log.timeline[0].choices == ()


def test_what_is_decided_before_it_is_posted_is_posted_without_buttons() -> None:
    after = decided(offered(), "a1", Decision.APPROVED)
    assert (after.log.timeline[-1].choices, after.log.timeline[-1].decisions, after.log.redraw) == (
        (),
        (Decision.APPROVED,),
        (),
    )


def test_what_is_decided_after_it_was_posted_is_drawn_again_once() -> None:
    number = offered().log.entries
    shown = placed(reply_posted(offered(), number), number, "1.5")
    after = decided(shown, "a1", Decision.APPROVED)
    assert (after.log.redraw, after.log.timeline[-1].ts) == ((number,), "1.5")
    assert decided(after, "a1", Decision.DECLINED) == after
    assert reworded(after, number).log.redraw == ()


def test_what_is_decided_while_it_is_posted_is_drawn_again() -> None:
    number = offered().log.entries
    after = placed(decided(offered(), "a1", Decision.APPROVED), number, "1.5", stale=True)
    assert after.log.redraw == (number,)
    assert placed(after, number, "1.5").log.redraw == (number,)


def test_other_acts_and_other_choices_stay() -> None:
    assert decided(offered(), "a2", Decision.SETTLED) == offered()
    assert decided(offered(), "a1", Decision.SETTLED, ("extend",)) == offered()
    assert decided(offered(), "a1", Decision.SETTLED, ("approve",)) != offered()


def test_a_reply_of_a_dropped_entry_is_no_trouble() -> None:
    assert placed(offered(), 999, "1.5") == offered()


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
