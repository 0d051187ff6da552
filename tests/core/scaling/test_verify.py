"""Did it come: every word, the figures that it rests on, and the reasons."""

from dataclasses import replace
from typing import Any

import pytest

from bot.core.incident.details.scaling import RunnersCame
from bot.core.pool.pool import Snapshot
from bot.core.scaling.lease import Lease, verdict
from bot.views.words.scaling import checked_words
from tests.builders import NOW, POOL

SHARE = Lease("a1", "U1", "C1", target=24, before=10, asked_at=NOW - 5, online=10, queued=120)
BOOT = 180.0


def seen(online: int | None, busy: int | None = None, **figures: Any) -> Snapshot:
    working = (online or 0) if busy is None else busy
    idle = None if online is None else online - working
    return Snapshot(POOL, NOW, busy=None if online is None else working, idle=idle, **figures)


def test_before_the_deadline_nothing_is_said() -> None:
    assert [verdict(SHARE, POOL, seen(online), 359, BOOT) for online in (10, 17, None)] == [None] * 3


@pytest.mark.parametrize(
    ("lease", "after", "sample", "came", "said"),
    [
        (SHARE, 60, seen(24, 22, queued=90), RunnersCame.VERIFIED, f"Scaling {POOL} to 24: verified. 24 runners online "
         "(14 more), 22 of them busy. The queue went from 120 to 90 jobs."),
        (SHARE, 360, seen(10, create_failures=12, limit=20, booting=3, offline=1),
         RunnersCame.NO_EFFECT, f"Scaling {POOL} to 24: no effect after 6 min. "
         "Only 10 runners online (12 failed launch requests, limit 20, 3 still booting and 1 offline), all busy."),
        (SHARE, 400, seen(16, 16, queued=130), RunnersCame.PARTLY,
         "partly. 6 of 14 more runners online after 6 min, 16 in all, all busy."),
        (SHARE, 400, seen(None), RunnersCame.UNSEEN, "unknown"),
        (SHARE, 400, None, RunnersCame.UNSEEN, "unknown"),
        (replace(SHARE, online=None), 400, seen(12), RunnersCame.PARTLY, "2 of 14 more runners"),
        (SHARE, 400, seen(7), RunnersCame.NO_EFFECT, ""),
    ],
    ids=["all at once", "none, with reasons", "some", "no figure", "no sample",
         "the scaler's own size is the start", "fewer than before"],
)  # fmt: skip
def test_what_came_is_said_with_its_figures(
    lease: Lease, after: float, sample: Snapshot | None, came: RunnersCame, said: str
) -> None:
    found = verdict(lease, POOL, sample, after, BOOT)
    assert found is not None
    assert found.came is came
    assert said in checked_words(found)


def test_what_the_autoscaler_says_is_among_the_reasons() -> None:
    found = verdict(SHARE, POOL, seen(10), 400, BOOT)
    assert found is not None
    assert "(the autoscaler counts 10 and the autoscaler reports: InsufficientInstanceCapacity)" in checked_words(
        replace(found, delivered=10, trouble="InsufficientInstanceCapacity")
    )


def test_a_queue_that_was_unknown_is_left_out() -> None:
    found = verdict(replace(SHARE, queued=None), POOL, seen(24), 60, BOOT)
    assert found is not None
    assert "The queue went" not in checked_words(found)
