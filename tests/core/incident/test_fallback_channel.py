"""An incident leaves a channel that cannot be used, and knows the way home."""

from dataclasses import replace

from bot.core.incident.fallback_channel import HOME_SECONDS, at_home, home_due, moved, parted, return_failed, returned
from bot.core.incident.incident import State, Thread
from bot.core.incident.plan import Do, NextStep, next_step
from tests.builders import CHANNEL, NOW, TIMING, incident, with_fields

FALLBACK = "C0OPS"


def test_home_is_tried_an_hour_after_the_move_and_an_hour_after_each_try() -> None:
    away = moved(incident(), FALLBACK, NOW)
    assert away.thread == Thread(FALLBACK, instead_of=CHANNEL, mention=away.thread.mention, tried_home_at=NOW)
    assert not home_due(away, NOW + HOME_SECONDS - 1)
    assert home_due(away, NOW + HOME_SECONDS)
    assert not home_due(return_failed(away, NOW + HOME_SECONDS), NOW + 2 * HOME_SECONDS - 1)
    assert not home_due(replace(away, state=State.RESOLVED), NOW + HOME_SECONDS)
    assert not home_due(incident(), NOW + 10 * HOME_SECONDS)


def test_a_second_move_still_knows_the_first_channel() -> None:
    assert moved(moved(incident(), FALLBACK, NOW), "C0THIRD", NOW).thread.instead_of == CHANNEL


def test_at_home_there_is_a_thread_of_its_own_and_a_message_to_part_from() -> None:
    away = moved(incident(thread=Thread(CHANNEL, mention="S0ONCALL")), FALLBACK, NOW)
    away = replace(away, thread=replace(away.thread, root="1.1"))
    assert at_home(away).thread == Thread(CHANNEL)
    back = returned(away, "2.2", "drawn", NOW + 1)
    assert back.thread == Thread(CHANNEL, "2.2", "drawn", NOW + 1, left=(FALLBACK, "1.1"))
    assert back.log.outbox[-1] == back.log.timeline[-1].number
    assert parted(back).thread.left is None


def test_home_comes_before_what_else_is_to_be_said() -> None:
    away = moved(incident(outbox=(2,)), FALLBACK, NOW - HOME_SECONDS)
    away = replace(away, thread=replace(away.thread, root="1.1", shown="old"))
    assert next_step(away, "drawn", NOW, TIMING) == NextStep(Do.RETURN_TO_CHANNEL)
    assert next_step(returned(away, "2.2", "drawn", NOW), "drawn", NOW, TIMING) == NextStep(Do.POINT_TO_NEW_THREAD)
    assert next_step(with_fields(away, retry_at=NOW + 5), "drawn", NOW, TIMING) == NextStep(Do.WAIT, until=NOW + 5)
