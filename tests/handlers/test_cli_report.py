"""`tailback report`: the longer view at a terminal, from the records of a real Redis, as text and as JSON."""

import asyncio
import json
from pathlib import Path

import pytest

from bot.config import load
from bot.core.pool.history import PoolHistory, finished
from bot.core.record import Change, Put, Stored
from handlers.machine import now
from handlers.wiring_tools import records
from tests.builders import POOL, incident
from tests.core.pool.hours import FIRST, full, hour
from tests.handlers.terminal import ran
from tests.processes import Ran

CONFIG = f"""
[slack]
channel = "C0CIONCALL"
[report]
zone = "Europe/Berlin"
[pool."{POOL}"]
[pool."macos-m1"]
"""


async def keep(days: int) -> None:
    """Hours of the last days, in every eighth of which jobs waited for an hour, and an incident that is open."""
    end = int(now() // 3600) - FIRST
    hours = tuple((hour if number % 8 else full)(number) for number in range(end - 24 * days, end))
    past, begun = finished(PoolHistory(POOL), hours), incident(at=now() - 3600, shown=False)
    async with records(load()) as store:
        puts = (Put(Stored(past, 0), past, None), Put(Stored(begun, 0), begun, None))
        await store.commit(Change(puts=puts, join=(("open", begun.id),)))


@pytest.fixture
def installed(here: pytest.MonkeyPatch, redis_url: str) -> None:
    """A configuration, and ten days on record."""
    here.setenv("REDIS_URL", redis_url)
    Path("tailback.toml").write_text(CONFIG, "utf-8")
    asyncio.run(keep(10))


@pytest.mark.usefixtures("installed")
def test_a_week_is_told_in_plain_lines(capsys: pytest.CaptureFixture[str]) -> None:
    """Days by the clock of the configuration, named; a table of waits; what happened; what is proposed; no markup."""
    output = ran(capsys, "report")
    assert (output.code, output.err) == (0, "")
    assert " in the last 7 days" in output.out.splitlines()[0]
    assert "1 incident (1 open).\nFrom " in output.out
    assert "Europe/Berlin.\n\n" in output.out
    assert f"\n{POOL}\n  - " in output.out
    assert "\n  - 1 incident (1 open), open for 1 h\n" in output.out
    assert "\nProposals\n  1. Make an alert for linux.2xlarge fire earlier: at a wait of 15 min.\n" in output.out
    assert "*" not in output.out
    assert max(len(line) for line in output.out.splitlines()) <= 100


@pytest.mark.usefixtures("installed")
def test_one_pool_and_other_days_for_a_program(capsys: pytest.CaptureFixture[str]) -> None:
    """JSON with its schema; of 20 days half were measured; what is unknown is null."""
    (one,) = json.loads(ran(capsys, "report", POOL, "--days", "20", "--json").out)["pools"]
    assert (one["name"], one["incidents"]["count"]) == (POOL, 1)
    assert one["measured_share"] == pytest.approx(0.5, abs=0.01)
    assert one["waits"]["over_target_share"] == pytest.approx(1 / 8, abs=0.01)
    report = json.loads(ran(capsys, "report", "macos-m1", "--json").out)
    assert (report["schema"], report["zone"]) == ("tailback.report/1", "Europe/Berlin")
    (unseen,) = report["pools"]
    unknown = {"measured_share": 0.0, "waits": None, "most_queued": None, "limit": None}
    assert {name: unseen[name] for name in unknown} == unknown


@pytest.mark.usefixtures("installed")
def test_the_terminal_and_slack_tell_the_same_proposals(capsys: pytest.CaptureFixture[str]) -> None:
    """Text and JSON come from one report; a pool that there is not is refused with those there are."""
    (proposal, *_) = json.loads(ran(capsys, "report", "--json").out)["proposals"]
    text = " ".join(ran(capsys, "report").out.split())
    for words in (proposal["words"], *proposal["evidence"]):
        assert words in text, words
    unknown = 'Unknown pool "linux.9xlarge". Did you mean linux.2xlarge? Known pools: linux.2xlarge, macos-m1.'
    assert ran(capsys, "report", "linux.9xlarge") == Ran(1, "", f"tailback: {unknown}\n")


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("days", ["0", "43", "week"])
def test_days_that_are_not_on_record_are_refused(days: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The hours of pools are kept for 42 days; wrong options exit with 2."""
    output = ran(capsys, "report", "--days", days)
    assert output.code == 2
    assert "Invalid value for '--days'" in output.complaint
