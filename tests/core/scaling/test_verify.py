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


def test_before_the_deadline_nothing_is_said() -> None:
    assert deadline_seconds(BOOT) == 360
    assert [verdict(SHARE, seen(359, online)) for online in (10, 17, None)] == [None] * 3


@pytest.mark.parametrize(
    ("lease", "evidence", "came", "said"),
    [
        (SHARE, seen(60, 24, 22, queued=90), RunnersCame.VERIFIED, f"Scaling {POOL} to 24: verified. 24 runners online "
         "(14 more), 22 of them busy. The queue went from 120 to 90 jobs."),
        (SHARE, replace(seen(360, 10, create_failures=12, limit=20, booting=3, offline=1), delivered=10),
         RunnersCame.NO_EFFECT, f"Scaling {POOL} to 24: no effect after 6 min. "
         "Only 10 runners online (12 failed launch requests, limit 20, 3 still booting, 1 offline and the autoscaler "
         "counts 10), all busy."),
        (SHARE, seen(400, 16, 16, queued=130), RunnersCame.PARTLY,
         "partly. 6 of 14 more runners online after 6 min, 16 in all, all busy."),
        (SHARE, seen(400, None), RunnersCame.UNSEEN, "unknown"),
        (SHARE, replace(seen(400, 24), sample=None), RunnersCame.UNSEEN, "unknown"),
        (SHARE, replace(seen(400, 24), sample=Snapshot(POOL, NOW - 1, busy=24, idle=0)), RunnersCame.UNSEEN, ""),
        (replace(SHARE, online=None), seen(400, 12), RunnersCame.PARTLY, "2 of 14 more runners"),
        (SHARE, seen(400, 7), RunnersCame.NO_EFFECT, ""),
        (SHARE, replace(seen(400, 10), delivered=10, trouble="InsufficientInstanceCapacity"), RunnersCame.NO_EFFECT,
         "(the autoscaler counts 10 and the autoscaler reports: InsufficientInstanceCapacity)"),
    ],
    ids=["all at once", "none, with reasons", "some", "no figure", "no sample", "sample from before",
         "the scaler's own size is the start", "fewer than before", "the scaler's own words"],
)  # fmt: skip
def test_what_came_is_said_with_its_figures(lease: Lease, evidence: Evidence, came: RunnersCame, said: str) -> None:
    found = verdict(lease, evidence)
    assert found is not None
    assert found.came is came
    assert said in checked_words(found)


def test_a_queue_that_was_unknown_is_left_out() -> None:
    found = verdict(replace(SHARE, queued=None), seen(60, 24))
    assert found is not None
    assert "The queue went" not in checked_words(found)
