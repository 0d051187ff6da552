"""The list of active silences: whose, until when, and what ends each before."""

from bot.core.external import SilenceFound
from bot.core.incident.silence import Silence
from bot.views.answers import ListedSilence, silence_list
from tests.builders import NOW

FOUND = SilenceFound("s1", active=True, ends_at=NOW + 7200, comment="", by="dana")
OURS = Silence("s1", "grafana", NOW + 7200, "U0ANA", "i1.abc", until_drained=True, above=200)


def test_one_of_ours_is_told_with_owner_and_end_condition() -> None:
    text = silence_list([ListedSilence("grafana", FOUND, OURS, "Queue is long")], NOW).text
    assert text.startswith("1 active silence:\n*Queue is long*")
    assert "2 h more" in text
    assert "by <@U0ANA>" in text
    assert "or until the queue has drained, or more than 200 jobs wait" in text


def test_one_of_somebody_else_is_told_by_its_back_end() -> None:
    text = silence_list([ListedSilence("grafana", FOUND)], NOW).text
    assert "by dana in grafana" in text
    assert silence_list([], NOW).text == "Nothing is silenced."
