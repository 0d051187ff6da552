"""The crash soak, short; and the checker, which must find what it is there to find."""

import os
from pathlib import Path

import pytest

from tests.faults.checker import judged, seen
from tests.faults.conftest import Figure
from tests.faults.soak import soaked
from tests.faults.system import CHANNEL, Plan, System, opened_system
from tests.processes import Zygote

pytestmark = pytest.mark.needs("redis-server")

MOST_VISIBLE_SECONDS = 120.0
"""A second thread is repaired within two minutes (P2)."""
MOST_LATE_SECONDS = 60.0
"""A step of the clock delays nothing by more than a minute, also while processes are killed."""


async def test_the_crash_soak_ends_with_nothing_missing_double_or_unknown(
    zygote: Zygote, tmp_path: Path, figure: Figure
) -> None:
    """Kills about every quarter second, pauses, lost replies, Redis killed: missing 0, duplicates 0, orphans 0."""
    seconds = float(os.environ.get("TAILBACK_SOAK_SECONDS", "10"))
    verdict, soak = await soaked(zygote, tmp_path, seconds, seed=2026)
    assert str(verdict) == "missing 0, duplicates 0, orphans 0"
    assert verdict.kept, verdict.disorder
    assert soak.kills > seconds
    assert soak.pauses > 0
    assert soak.redis_kills > 0
    assert soak.steps > 0
    assert all(seconds < MOST_VISIBLE_SECONDS for seconds in soak.visible), soak.visible
    assert soak.late[-1] < MOST_LATE_SECONDS, soak.late[-5:]
    figure("soak: last thread after its acceptance", soak.late[-1])
    figure("soak: second threads collapsed", len(soak.visible))
    figure("soak: longest time that one was visible", max(soak.visible, default=0.0))


async def test_the_checker_finds_what_is_missing_double_and_unknown(zygote: Zygote, tmp_path: Path) -> None:
    """Three planted breaches: an accepted group without a thread, one with two, and a thread nobody knows.

    The system itself finds the first two at the end of every test.
    """
    with pytest.raises(AssertionError, match=r"^Verdict\(missing=\[2\], duplicates=\[1\]") as ended:
        async with opened_system(zygote, tmp_path, Plan(webs=1, workers=1)) as system:
            await breached(system)
    assert "has 2 messages in" in str(ended.value)


async def breached(system: System) -> None:
    system.last_seconds = 1.0
    await system.send(1)
    await system.eventually(lambda: not seen(system).missing, "a thread")
    channel = system.stand_in.workspace.channels[CHANNEL]
    ((ts, message),) = channel.messages.items()
    system.stand_in.workspace.write(channel, {**message, "ts": ""})
    for process in system.workers:
        process.kill()
    await system.send(2)
    verdict = await judged(system, 2)
    assert (verdict.missing, verdict.duplicates) == ([2], [1])
    assert len(verdict.orphans) == 2, "without a worker no button shows anything"
    assert ts in verdict.orphans
    assert not verdict.kept
