"""What is said of sources that contradict each other or fall silent."""

from bot.core.pool.pool import Contradiction, Tally
from bot.views.mrkdwn import date
from bot.views.words.sources import disagreeing, unconfirmed, waited_for
from tests.builders import NOW, POOL


def test_a_contradiction_about_the_queue_is_told_with_both_numbers() -> None:
    queue = Contradiction("queued", (Tally("prometheus", 3), Tally("github", 1400)))
    assert disagreeing(POOL, (queue, Contradiction("busy", queue.values))) == [
        f"{POOL}: the sources disagree about the queue: prometheus 3, github 1,400. Tailback uses the first."
    ]


def test_a_source_that_fell_silent_is_named_while_a_drain_waits_and_afterwards() -> None:
    silent, at = {"github": NOW}, date(NOW)
    assert waited_for(silent) == [f"github has not told the queue since {at}. A drain waits for it, 15 min at most."]
    assert unconfirmed(silent) == [f"github has not answered since {at}."]
