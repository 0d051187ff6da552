"""What a delivery changes in a group."""

import pytest

from bot.core.alert import Kind
from bot.core.incident.details.events import AlertsJoined
from bot.core.incident.membership import changed, left_out
from tests.builders import NOW, alert, resolved


@pytest.mark.parametrize(
    ("labels", "name"),
    [
        ({"runner_label": "linux"}, "Runner queue is long (linux)"),
        ({"queue": "q", "instance": "i"}, "Runner queue is long (q)"),
        ({"zone": "z"}, "Runner queue is long"),
    ],
)
def test_a_member_is_called_by_what_tells_it_apart(labels: dict[str, str], name: str) -> None:
    assert changed((), (alert(labels=labels),)).news == AlertsJoined(new=(name,))


def test_an_alert_whose_source_went_blind_did_not_fire_again() -> None:
    """CloudWatch's INSUFFICIENT_DATA after ALARM: a new state of the same alarm."""
    blind = alert(starts_at=NOW, kind=Kind.BLIND)
    assert changed((alert(),), (blind,)).news == AlertsJoined(blind=("Runner queue is long",))


def test_nothing_fresh_says_nothing() -> None:
    same = changed((alert(),), (alert(), resolved("b")))
    assert (same.fresh, same.news, same.unshown) == ((), AlertsJoined(), 0)


@pytest.mark.parametrize(
    ("known", "arrived", "truncated", "left"),
    [("", "a", 5, 5), ("abc", "a", 5, 3), ("abcdef", "a", 5, 0), ("abcdefg", "a", 5, 0), ("abc", "ab", 0, 0)],
)
def test_what_is_left_out_and_known_all_the_same_is_not_counted(
    known: str, arrived: str, truncated: int, left: int
) -> None:
    """A sender shows a few; the rest may have been read from its API before."""
    assert left_out([alert(one) for one in known], [alert(one) for one in arrived], truncated) == left
    assert left_out([resolved(one) for one in known], [alert(one) for one in arrived], truncated) == truncated
