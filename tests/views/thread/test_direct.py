"""What one person is told of an incident: five lines of state, and who hands over, reminds or escalates."""

from dataclasses import replace

from bot.core.incident.details.people import Escalation, HandedOver
from bot.core.incident.incident import noted
from bot.core.incident.timeline import Entry, Event
from bot.core.paging.page import PageAction
from bot.views.dialogs.modals import escalate_modal, offer_escalation
from bot.views.mrkdwn import Marked, outside
from bot.views.thread.direct import given_back, handed_to_you, reminder, reminder_set, state_lines
from bot.views.words.timeline import page_text
from tests.slack_limits import message_problems
from tests.views.samples import BEGAN, NOW, TIMING, queueing, worked_on

ANA, BEN = "U0ANA", "U0BEN"
GIVEN = HandedOver(BEN, before=ANA, note="watch the autoscaler")


def state() -> list[Marked]:
    incident, view = worked_on()
    return state_lines(incident, view, NOW, TIMING, "https://slack.example/1")


def test_the_state_is_told_in_five_lines() -> None:
    lines = state()
    begins = ("*OPEN", "*Alert:*", "*Likely cause", "silenced this alert", "Acknowledged by <@U0ALEX>")
    assert all(part in line for line, part in zip(lines, begins, strict=True)), lines
    assert "Acknowledged by somebody in Slack" in outside(lines[-1])


def test_before_anybody_acted_the_lines_say_so() -> None:
    incident, view = queueing()
    *_, action, owner = state_lines(incident, view, NOW, TIMING, "")
    assert (action, owner) == ("Nobody has scaled, silenced or noted anything yet.", "Not acknowledged.")


def test_the_new_owner_reads_whose_note_it_is_and_how_to_decline() -> None:
    entry = Entry(3, NOW, Event.HANDED_OVER, GIVEN, ANA, whom=BEN, about="r1")
    made = handed_to_you(entry, GIVEN, state())
    head, note, *lines = made.text.split("\n")
    assert message_problems(made) == []
    assert head == f"*You own this incident now.* <@{ANA}> handed it over to you."
    assert note == f"*Note from <@{ANA}>:* watch the autoscaler"
    assert (len(lines), lines[-1]) == (6, "Can't take it? Press Decline.")


def test_a_declined_hand_over_says_who_owns_it_now() -> None:
    incident, _ = queueing()
    for owner, sentence in (
        (ANA, "*You own this incident again.*"),
        (BEN, "<@U0BEN> owns it now."),
        (None, "*Nobody owns"),
    ):
        owned = replace(incident, ownership=replace(incident.ownership, owner=owner))
        head, *lines = given_back(owned, GIVEN, ANA, state()).text.split("\n")
        assert head.startswith(f"<@{BEN}> declined the hand-over. {sentence}")
        assert len(lines) == 5


def test_a_reminder_says_that_the_incident_is_open_and_leaves_the_alert_out() -> None:
    assert reminder_set(NOW).text.startswith("I'll mention you in this thread at <!date^")
    made = reminder(ANA, BEGAN, state())
    assert made.text.startswith(f"<@{ANA}>, your reminder: this incident is still open.")
    assert "14 jobs queued" in made.text
    assert "*Alert:*" not in made.text


def test_the_question_before_an_escalation_says_who_did_it_last() -> None:
    incident, _ = queueing()
    assert "Call <!subteam^S0ONCALL> about this incident?" in offer_escalation("r1", "S0ONCALL").text
    called = noted(incident, NOW, Event.CALLED, Escalation(), who=ANA)
    text = str(escalate_modal("escalate", "r1", called, ["S0ONCALL"], "S0ONCALL")["blocks"])
    assert "Calls <!subteam^S0ONCALL> with the state of this incident" in text
    assert f"<@{ANA}> escalated it" in text


def test_a_page_says_who_wants_what() -> None:
    head = "linux: 14 jobs queued"
    assert page_text(PageAction.TRIGGER, head, over=False).endswith("queued. Nobody has acknowledged it in Slack.")
    assert page_text(PageAction.TRIGGER, head, over=False, by_person=True).endswith("Somebody escalated it in Slack.")
    assert page_text(PageAction.RESOLVE, head, over=True).endswith("The incident is over.")
    assert page_text(PageAction.RESOLVE, head, over=False).endswith("A new page follows.")
