"""Slack's limits hold for whatever is put together."""

from bot.core.message import Message
from bot.views import blocks
from bot.views.mrkdwn import Marked, code, say
from tests.slack_limits import message_problems


def test_many_long_sections_are_shortened_and_the_buttons_stay() -> None:
    button = blocks.button("Acknowledge", "ack", "a", "Acknowledge: linux")
    parts = [blocks.section(Marked("word " * 590)) for _ in range(45)]
    drawn = blocks.message(say("t"), blocks.header("h"), *parts, blocks.actions(button))
    assert message_problems(drawn) == []
    assert [block["type"] for block in drawn.blocks if block["type"] in {"header", "actions"}] == ["header", "actions"]
    assert "Cut to fit one Slack message" in str(drawn.blocks[-1])


def test_a_code_block_that_is_cut_is_closed() -> None:
    rows = code([f"row {n} " + "x" * 60 for n in range(200)])
    drawn = blocks.message(say("t"), blocks.section(rows))
    assert message_problems(drawn) == []


def test_an_empty_text_is_replaced_and_what_fits_is_left_alone() -> None:
    whole = blocks.section(say("a"))
    assert blocks.message(say(" "), None, whole) == Message("Tailback has news of an incident.", (whole,))


def test_the_digest_follows_text_and_blocks() -> None:
    one = blocks.message(say("t"), blocks.header("h"))
    assert blocks.digest_of(one) == blocks.digest_of(blocks.message(say("t"), blocks.header("h")))
    assert len({blocks.digest_of(drawn) for drawn in (one, Message("u", one.blocks), Message("t"))}) == 3


def test_a_button_keeps_its_own_limits() -> None:
    drawn = blocks.message(say("t"), blocks.actions(blocks.button("Resolve " * 20, "resolve", "v" * 3000, "")))
    assert message_problems(drawn) == []
