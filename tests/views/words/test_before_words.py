"""What is said of a closed incident that looked alike."""

from bot.core.incident.details.events import Diagnosed
from bot.core.incident.details.seen_before import SeenBefore
from bot.views.mrkdwn import unmarked
from bot.views.words.advice import before_words
from bot.views.words.diagnosis import diagnosis_lines
from tests.builders import NOW


def test_it_is_told_in_one_line() -> None:
    line = unmarked(before_words(SeenBefore(NOW, "quota", True, "scaled", done_seconds=1200.0, seconds=7800.0)))
    assert line.startswith("Looked like this on 20")
    assert line.endswith("a quota is used up, confirmed, scaled up after 20 min, over after 2 h 10 min.")


def test_a_cause_that_people_denied_is_said_as_such() -> None:
    found = Diagnosed(("linux.2xlarge",), before=SeenBefore(NOW, "limit", confirmed=False, seconds=600.0))
    assert diagnosis_lines(found, ())[0].endswith(
        "the pool's limit is reached, which people denied, over after 10 min."
    )
