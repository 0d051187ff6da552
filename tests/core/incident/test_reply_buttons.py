"""Buttons below replies: offered, placed, decided, and drawn again when they were shown."""

from bot.core.incident.details.general import PlainText
from bot.core.incident.incident import Incident, noted, reply_posted
from bot.core.incident.reply_buttons import decided, offering, placed, reworded
from bot.core.incident.timeline import Decision, Event
from tests.builders import NOW, incident

PAIR = ("approve", "decline")


def asked() -> Incident:
    return offering(noted(incident(), NOW, Event.APPROVAL, PlainText("asked")), "a1", PAIR, whom="U2")


def test_the_newest_entry_offers() -> None:
    entry = asked().log.timeline[-1]
    assert (entry.about, entry.choices, entry.whom) == ("a1", PAIR, "U2")
    assert asked().log.timeline[0].choices == ()


def test_what_is_decided_before_it_is_posted_is_posted_without_buttons() -> None:
    after = decided(asked(), "a1", Decision.APPROVED)
    assert (after.log.timeline[-1].choices, after.log.timeline[-1].decisions, after.log.redraw) == (
        (),
        (Decision.APPROVED,),
        (),
    )


def test_what_is_decided_after_it_was_posted_is_drawn_again_once() -> None:
    number = asked().log.entries
    shown = placed(reply_posted(asked(), number), number, "1.5")
    after = decided(shown, "a1", Decision.APPROVED)
    assert (after.log.redraw, after.log.timeline[-1].ts) == ((number,), "1.5")
    assert decided(after, "a1", Decision.DECLINED) == after
    assert reworded(after, number).log.redraw == ()


def test_what_is_decided_while_it_is_posted_is_drawn_again() -> None:
    number = asked().log.entries
    after = placed(decided(asked(), "a1", Decision.APPROVED), number, "1.5", stale=True)
    assert after.log.redraw == (number,)
    assert placed(after, number, "1.5").log.redraw == (number,)


def test_other_acts_and_other_choices_stay() -> None:
    assert decided(asked(), "a2", Decision.SETTLED) == asked()
    assert decided(asked(), "a1", Decision.SETTLED, ("extend",)) == asked()
    assert decided(asked(), "a1", Decision.SETTLED, ("approve",)) != asked()


def test_a_reply_of_a_dropped_entry_is_no_trouble() -> None:
    assert placed(asked(), 999, "1.5") == asked()
