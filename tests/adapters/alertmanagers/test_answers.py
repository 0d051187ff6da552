"""Silences and alerts out of the API's JSON, whatever is missing in it."""

import pytest

from bot.adapters.alertmanagers.api_v2 import BATCH, alerts_from, groups_from, silence_from
from bot.core.alert import Matcher
from bot.ports import SilenceFound
from bot.sources.alertmanager import parse

ROW = {
    "id": "s1",
    "status": {"state": "active"},
    "endsAt": "2026-10-21T07:28:00.5+02:00",
    "comment": "by Ana",
    "matchers": [{"name": "a", "value": "b"}, {"name": "c", "value": "d", "isRegex": True, "isEqual": False}],
}


def test_a_silence_keeps_its_matchers_as_they_are() -> None:
    """`isEqual` is true when it is not said (older Alertmanagers leave it out)."""
    matchers = (Matcher("a", "b"), Matcher("c", "d", is_regex=True, is_equal=False))
    assert silence_from(ROW) == ("active", SilenceFound("s1", True, 1792560480.5, "by Ana", matchers))


@pytest.mark.parametrize("state", ["pending", "expired", ""])
def test_only_an_active_silence_is_active(state: str) -> None:
    found = silence_from({**ROW, "status": {"state": state}})
    assert found[0] == state
    assert found[1] is not None
    assert not found[1].active


@pytest.mark.parametrize(
    "row", [None, [], "s1", {}, {**ROW, "id": None}, {**ROW, "endsAt": "soon"}, {**ROW, "matchers": 1}]
)
def test_what_is_no_silence_is_none(row: object) -> None:
    assert silence_from(row) == ("", None)


def test_a_listed_group_has_the_address_of_its_back_end() -> None:
    """As its webhook would say it: which of several back ends holds the alert is read from its links."""
    row = {"labels": {"alertname": "Q"}, "receiver": {"name": "r"}, "alerts": [{"labels": {"alertname": "Q"}}]}
    (group,) = groups_from([row], parse, "https://am.example/x")
    assert group.alerts[0].links.silence.startswith("https://am.example/x/#/silences/new?")
    assert group.guessed


def test_more_alerts_than_a_webhook_may_have_are_all_read() -> None:
    rows = [{"labels": {"alertname": f"a{n}"}, "startsAt": "2026-10-21T07:28:00Z"} for n in range(2 * BATCH + 1)]
    assert len({alert.name for alert in alerts_from([*rows, {}, None, {"labels": {}}], parse)}) == len(rows)
