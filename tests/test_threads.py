"""The check of threads after every test: it finds each broken promise, and is silent where all were kept."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.threads import Shown, stored, unruly

ROOT = Shown("C1", "1.0", "", "inc1.abc", ours=True, edited=True)
FIRST = Shown("C1", "2.0", "1.0", "inc1/1", ours=True, edited=False)
SECOND = Shown("C1", "3.0", "1.0", "inc1/2", ours=True, edited=True)
WARNING = Shown("C1", "4.0", "", "early/linux.big/123.000", ours=True, edited=False)
PERSON = Shown("C1", "5.0", "1.0", "", ours=False, edited=False)
FORGED = replace(ROOT, ts="1.5", ours=False, edited=False)


def test_what_is_as_it_should_be_is_silent() -> None:
    """A thread with its replies and people's; threads collapsed, over, or left elsewhere; others; a copied key."""
    others = [
        replace(ROOT, ts="6.0", key="duplicate/inc1"),
        replace(ROOT, ts="7.0", key="duplicate/inc1"),
        replace(ROOT, channel="C2", key="inc1.abc"),
        replace(ROOT, ts="8.0", key="over/inc2.abc"),
        *(replace(WARNING, ts=f"9.{number}", key="inc1/quarantine") for number in range(2)),
    ]
    assert unruly([ROOT, FORGED, FIRST, SECOND, WARNING, PERSON, *others]) == []


@pytest.mark.parametrize(
    ("shown", "sentence"),
    [
        ([ROOT, replace(ROOT, ts="6.0")], "inc1 has 2 messages in C1: 1.0, 6.0"),
        ([ROOT, replace(ROOT, ts="6.0", key="over/inc1.abc")], "inc1 has 2 messages in C1: 1.0, 6.0"),
        ([WARNING, replace(WARNING, ts="6.0")], "early/linux.big/123.000 has 2 messages in C1: 4.0, 6.0"),
        ([ROOT, FIRST, replace(FIRST, ts="6.0")], "1.0 in C1 was told [1, 1]: each once, and in order"),
        ([ROOT, SECOND, replace(FIRST, ts="6.0")], "1.0 in C1 was told [2, 1]: each once, and in order"),
        ([replace(ROOT, ours=False)], "1.0 in C1 was edited, and not by us alone"),
    ],
)
def test_a_broken_promise_is_named(shown: Sequence[Shown], sentence: str) -> None:
    assert unruly(shown) == [sentence]


def test_messages_are_read_as_slack_stores_them() -> None:
    """Thread, key, author and editor; somebody else's edit of our message is seen."""
    metadata = {"event_type": "tailback", "event_payload": {"mark": "inc1.abc"}}
    root: dict[str, object] = {"bot_id": "B1", "metadata": metadata, "edited": {"user": "U1"}, "thread_ts": "1.0"}
    channel: dict[str, dict[str, object]] = {"2.0": {"user": "U2", "thread_ts": "1.0"}, "1.0": root}
    person = Shown("C1", "2.0", "1.0", "", ours=False, edited=False)
    assert stored("C1", channel, ("B1", "U1")) == [ROOT, person]
    assert stored("C1", channel, ("B1", "U9")) == [replace(ROOT, ours=False), person]
