"""The one way from a value to markup."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.views import mrkdwn
from bot.views.mrkdwn import Marked, say
from tests.views.samples import BEGAN, HOSTILE


@pytest.mark.parametrize("text", ["<!channel>", "<@U1>", "<!subteam^S1>", "a & b", "```", "<https://evil|Runbook>"])
def test_a_value_in_a_sentence_cannot_become_markup(text: str) -> None:
    sentence = say("{value}", value=text)
    assert "<" not in sentence
    assert ">" not in sentence
    assert "`" not in sentence
    assert sentence.replace("&amp;", "").replace("&lt;", "").replace("&gt;", "").count("&") == 0


def test_no_character_that_nobody_sees_is_left() -> None:
    """Every code point of the categories Cf, Co, Zl, Zp and Cc, and the fillers of Hangul."""
    hidden = {"Cf", "Co", "Zl", "Zp", "Cc"}
    known = [chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) in hidden]
    for begin in range(0, len(known), 5000):
        left = set(mrkdwn.clean("a" + "b".join(known[begin : begin + 5000]) + "c")) - set("abc ")
        assert left == set()
    assert mrkdwn.clean("a\u115f\u1160\u3164\uffa0b") == "ab"
    assert mrkdwn.clean("a\ud800b\u202ec\x1bd\ne") == "a?bcd e"
    assert mrkdwn.clean("Größe 東京 é́ 👍") == "Größe 東京 é́ 👍"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("*bold* and _italic_ and ~gone~", "∗bold∗ and ˍitalicˍ and ∼gone∼"),
        ("linux_2xlarge", "linux_2xlarge"),
        ("a*b~c", "a*b~c"),
        ("*.example.com", "∗.example.com"),
        ("__name__", "ˍˍnameˍˍ"),
    ],
)
def test_a_value_does_not_format(value: str, shown: str) -> None:
    assert say("{value}", value=value) == shown


def test_our_own_markup_is_not_escaped_twice() -> None:
    sentence = say(
        "{who} {page}", who=mrkdwn.mention("U0ALEX"), page=mrkdwn.link("https://e.example/?a=1&b=2", "A & B")
    )
    assert sentence == "<@U0ALEX> <https://e.example/?a=1&amp;b=2|A &amp; B>"


@pytest.mark.parametrize(
    ("who", "expected"),
    [("U0ALEX", "<@U0ALEX>"), ("S0ONCALL", "<!subteam^S0ONCALL>"), ("!channel", "!channel"), ("<@U1>", "&lt;@U1&gt;")],
)
def test_only_slack_ids_are_mentioned(who: str, expected: str) -> None:
    assert mrkdwn.mention(who) == expected


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "data:text/html,x",
        "//e.example",
        "https://",
        "http://[bad",
        "",
        "https://e.example/" + "a" * 2000,
        "https://e.example/\n",
        "https://e.example/ x\u202e",
        "https://slack.com@evil.example/",
        "http://a:b@e.example/x",
        "https://@e.example/",
    ],
)
def test_an_address_that_is_not_http_or_has_a_name_is_no_link(url: str) -> None:
    assert mrkdwn.link(url, "Runbook") == "Runbook"


@given(
    st.lists(
        st.sampled_from(["https://", "http://", "e.example", *":/?#[]@!$&'()*+,;=%|<>-._~\\ \n\u202eé09aZ"]),
        max_size=12,
    )
)
def test_a_plain_address_is_what_the_closer_look_makes_of_it(parts: list[str]) -> None:
    url = "".join(parts)
    assert mrkdwn.safe_url(url) == mrkdwn._checked_url(url)


def test_an_address_cannot_end_its_link_early() -> None:
    made = mrkdwn.link("https://e.example/?q=a|b>c<d", "x|y")
    assert made == "<https://e.example/?q=a%7Cb%3Ec%3Cd|x¦y>"


def test_a_time_says_utc_where_it_cannot_be_localised() -> None:
    assert mrkdwn.date(BEGAN) == "<!date^1764555780^{date_short_pretty} {time}|2025-12-01 02:23 UTC>"
    assert mrkdwn.date(-62_135_596_800.0) == "unknown time"
    assert mrkdwn.utc(float("nan")) == "unknown time"


def test_a_plain_text_cannot_ping_even_when_a_client_unescapes_it() -> None:
    drawn = mrkdwn.flat(HOSTILE, 40)
    assert len(drawn) == 40
    assert drawn.endswith("…")
    assert "<" not in drawn


@pytest.mark.parametrize("most", range(20, 80))
def test_a_cut_never_ends_inside_a_link_an_entity_or_a_code_block(most: int) -> None:
    text = Marked(
        "a &amp;&lt; <https://e.example/long/path|a label> b\n"
        + mrkdwn.code(["row one", "row two", "row three"])
        + " end"
    )
    short = mrkdwn.cut(text, most)
    assert len(short) <= most
    assert short.count("<") == short.count(">")
    assert short.count("```") % 2 == 0
    assert "…" in short
    assert short.replace("&amp;", "").replace("&lt;", "").count("&") == 0


def test_the_middle_of_a_long_name_gives_way() -> None:
    assert mrkdwn.shortened("linux.g5.4xlarge.nvidia.gpu", 15) == "linux.g…dia.gpu"


@pytest.mark.parametrize(
    "code", [0x034F, 0x17B4, 0x17B5, 0x180B, 0x180D, 0x180F, 0x2800, 0xFE00, 0xFE0F, 0xE0100, 0xE01EF]
)
def test_what_shows_nothing_is_left_out(code: int) -> None:
    """Two names that look alike are one, and no word hides."""
    assert mrkdwn.clean(f"a{chr(code)}b") == "ab"
    assert mrkdwn.clean("x" * 300 + chr(code)) == "x" * 300
