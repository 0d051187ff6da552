"""An incident leaves a channel that cannot be used, and returns to it."""

from dataclasses import replace

from bot.core.incident.incident import State, Thread, moved
from bot.core.incident.plan import RETURN_SECONDS, return_due
from tests.builders import CHANNEL, NOW, incident

FALLBACK = "C0OPS"


def test_home_is_tried_an_hour_after_the_move_and_an_hour_after_each_try() -> None:
    away = moved(incident(), FALLBACK, NOW)
    assert away.thread == Thread(FALLBACK, instead_of=CHANNEL, mention=away.thread.mention, tried_home_at=NOW)
    assert not return_due(away, NOW + RETURN_SECONDS - 1)
    assert return_due(away, NOW + RETURN_SECONDS)
    tried = replace(away, thread=replace(away.thread, tried_home_at=NOW + RETURN_SECONDS))
    assert not return_due(tried, NOW + 2 * RETURN_SECONDS - 1)
    assert not return_due(replace(away, state=State.RESOLVED), NOW + RETURN_SECONDS)
    assert not return_due(incident(), NOW + 10 * RETURN_SECONDS)


def test_a_second_move_still_knows_the_first_channel() -> None:
    assert moved(moved(incident(), FALLBACK, NOW), "C0THIRD", NOW).thread.instead_of == CHANNEL
