"""Buttons below a reply: what they say, what they carry, and that they are within Slack's limits."""

from dataclasses import replace

from bot.core.incident.details.events import PlainText
from bot.core.incident.incident import Incident, noted
from bot.core.incident.reply_buttons import decided, offering
from bot.core.incident.timeline import Decision, Event
from bot.core.message import Message
from bot.views.thread.replies import reply
from tests.builders import NOW, incident
from tests.slack_limits import message_problems
from tests.world import World


def offered(event: Event = Event.APPROVAL, *choices: str, whom: str | None = None) -> Incident:
    """A thread whose newest entry offers these."""
    return offering(
        noted(incident(), NOW, event, PlainText("asked <!channel>"), who="U1"), "i1.abc", choices, whom=whom
    )


def shown(found: Incident) -> Message:
    newest = found.log.timeline[-1]
    return reply(found, newest, NOW, World().context.reply_labels(newest))


def buttons(found: Incident) -> list[dict[str, object]]:
    drawn = shown(found)
    assert message_problems(drawn) == []
    rows = [block for block in drawn.blocks if block["type"] == "actions"]
    return [element for row in rows for element in row["elements"]]  # type: ignore[attr-defined]  # a block as Slack reads it


def test_each_button_asks_for_its_action_on_the_act() -> None:
    found = buttons(offered(Event.APPROVAL, "approve", "decline"))
    assert [(one["action_id"], one["value"]) for one in found] == [("approve", "i1.abc"), ("decline", "i1.abc")]
    assert [one.get("style") for one in found] == ["primary", None]


def test_the_same_action_is_called_undo_after_a_verification() -> None:
    labels = [buttons(offered(event, "hand_back"))[0]["text"]["text"] for event in (Event.VERIFIED, Event.LEASE)]  # type: ignore[index]  # a block as Slack reads it
    assert labels == ["Undo", "Return now"]


def test_the_text_names_the_buttons() -> None:
    found = offered(Event.LEASE, "extend", "hand_back", whom="U2")
    text = shown(found).text
    assert text.endswith("You can press: Extend and Return now.")
    assert "<@U1> asked &lt;!channel&gt; <@U2>." in text


def test_a_text_whose_buttons_slack_refused_names_what_replaces_them() -> None:
    """ "You can press: Approve" stood below a message without any button."""
    found = offered(Event.APPROVAL, "approve", "decline")
    newest = replace(found.log.timeline[-1], plain=True)
    text = reply(found, newest, NOW, World().context.reply_labels(newest)).text
    assert text.endswith("Slack refused the buttons. Write `@tailback help` in this thread to see the commands.")
    assert "You can press" not in text


def test_what_is_decided_has_no_buttons_and_says_so() -> None:
    found = decided(offered(Event.APPROVAL, "approve", "decline"), "i1.abc", Decision.APPROVED)
    assert buttons(found) == []
    assert "Approved." in reply(found, found.log.timeline[-1], NOW).text


def test_a_worse_queue_is_said_to_its_owner() -> None:
    found = offering(noted(incident(), NOW, Event.WORSE, PlainText("Worse: 40 jobs.")), "", (), whom="U2")
    assert "Worse: 40 jobs. <@U2>, you acknowledged this." in reply(found, found.log.timeline[-1], NOW).text


def test_the_last_words_of_a_long_cause_are_not_cut() -> None:
    cause = f"linux.2xlarge, cause 1 (high confidence): {'the cloud refuses; ' * 20}Wait for the cloud, do not rerun."
    found = noted(incident(), NOW, Event.DIAGNOSED, PlainText("asked for a diagnosis.", (cause,) * 10), who="U1")
    drawn = reply(found, found.log.timeline[-1], NOW)
    assert message_problems(drawn) == []
    shown = "\n".join(str(block["text"]["text"]) for block in drawn.blocks if block["type"] == "section")  # type: ignore[index]  # a block as Slack reads it
    assert shown.count("do not rerun.") == 10
    one = noted(incident(), NOW, Event.DIAGNOSED, PlainText("asked for a diagnosis.", (cause,)), who="U1")
    assert "do not rerun." in reply(one, one.log.timeline[-1], NOW).text
