"""Did it come: every word, the figures that it rests on, and the reasons."""

from dataclasses import replace
from typing import Any

import pytest

from bot.core.incident.details.scaling import RunnersCame
from bot.core.pool.pool import Snapshot
from bot.core.scaling.lease import Lease
from bot.core.scaling.verify import Evidence, deadline_seconds, verdict
from bot.views.words.scaling import checked_words
from tests.builders import NOW, POOL

SHARE = Lease("a1", "U1", "C1", target=24, before=10, asked_at=NOW - 5, online=10, queued=120)
BOOT = 180.0


def seen(after: float, online: int | None, busy: int | None = None, **figures: Any) -> Evidence:
    """The pool so long after the scaler accepted."""
    working = (online or 0) if busy is None else busy
    idle = None if online is None else online - working
    sample = Snapshot(POOL, NOW + after, busy=None if online is None else working, idle=idle, **figures)
    return Evidence(POOL, NOW, BOOT, NOW + after, sample)


def test_all_there_is_verified_at_once() -> None:
    """No need to wait for the deadline."""
    found = verdict(SHARE, seen(60, 24, 22, queued=90))
    assert found is not None
    assert found.came is RunnersCame.VERIFIED
    assert checked_words(found) == (
        f"Scaling {POOL} to 24: verified. 14 more runners online, 24 in all, 22 of them busy. "
        "The queue went from 120 to 90 jobs."
    )


def test_before_the_deadline_nothing_is_said() -> None:
    """Runners need their time to boot, twice over."""
    assert deadline_seconds(BOOT) == 360
    assert verdict(SHARE, seen(359, 10)) is None
    assert verdict(SHARE, seen(359, 17)) is None
    assert verdict(SHARE, seen(359, None)) is None


def test_no_effect_says_so_with_the_reasons() -> None:
    """Asked, accepted, and nothing there: the sentence that a queue of failed creates deserves."""
    found = verdict(SHARE, replace(seen(360, 10, create_failures=12, limit=20, booting=3, offline=1), delivered=10))
    assert found is not None
    assert found.came is RunnersCame.NO_EFFECT
    assert checked_words(found) == (
        f"Scaling {POOL} to 24: no effect. After 6 min the autoscaler has accepted 24, but only 10 runners online "
        "(12 failed launch requests, limit 20, 3 still booting, 1 offline and the autoscaler counts 10), "
        "10 of them busy."
    )


def test_partly_says_how_many() -> None:
    """Some came."""
    found = verdict(SHARE, seen(400, 16, 16, queued=130))
    assert found is not None
    assert found.came is RunnersCame.PARTLY
    assert "partly. 6 of 14 more runners online after 6 min, 16 in all, 16 of them busy." in checked_words(found)


@pytest.mark.parametrize("evidence", [seen(400, None), replace(seen(400, 24), sample=None)], ids=["figure", "sample"])
def test_unknown_is_not_zero(evidence: Evidence) -> None:
    """A blind source proves neither success nor failure."""
    found = verdict(SHARE, evidence)
    assert found is not None
    assert found.came is RunnersCame.UNSEEN
    assert "unknown" in checked_words(found)


def test_a_sample_from_before_proves_nothing() -> None:
    """Measured before the scaler accepted."""
    old = replace(seen(400, 24), sample=Snapshot(POOL, NOW - 1, busy=24, idle=0))
    found = verdict(SHARE, old)
    assert found is not None
    assert found.came is RunnersCame.UNSEEN


def test_without_figures_from_before_the_scalers_own_are_the_start() -> None:
    """Online was unknown when it was asked."""
    found = verdict(replace(SHARE, online=None), seen(400, 12))
    assert found is not None
    assert "2 of 14 more runners" in checked_words(found)


def test_fewer_than_before_is_no_effect() -> None:
    """Runners were lost meanwhile."""
    found = verdict(SHARE, seen(400, 7))
    assert found is not None
    assert found.came is RunnersCame.NO_EFFECT


def test_a_queue_that_was_unknown_is_left_out() -> None:
    """No rate is made up."""
    found = verdict(replace(SHARE, queued=None), seen(60, 24))
    assert found is not None
    assert "The queue went" not in checked_words(found)


def test_the_scalers_own_words_are_part_of_the_reason() -> None:
    """Why nothing came stands where somebody reads that nothing came."""
    found = verdict(SHARE, replace(seen(400, 10), delivered=10, trouble="InsufficientInstanceCapacity"))
    assert found is not None
    assert "(the autoscaler counts 10 and the autoscaler reports: InsufficientInstanceCapacity)" in checked_words(found)
