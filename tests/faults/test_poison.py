"""RT-6: one incident that cannot be worked on, planted from outside, holds up no other and burns no processor."""

import asyncio
import json
import math
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.faults.checker import buttons, kept, roots
from tests.faults.conftest import LONG, Figure
from tests.faults.groups import name_of
from tests.faults.servers import Process
from tests.faults.system import CHANNEL, System

pytestmark = pytest.mark.needs("redis-server")

Json = dict[str, object]
PREFIX = "{tailback}:rec:"
MOST_SHARE = 0.2
"""Of one processor, for each process, once the incident rests."""
CALM_LOOKS = 5
WATCHED_SECONDS = 3.0


def change(system: System, group: int, spoil: Callable[[Json], None]) -> str:
    """Alter the record of a group's incident behind the product's back, and wake it; gives the incident's id."""
    with system.redis.client as client:
        for key in client.scan_iter(f"{PREFIX}inc:*"):
            document = json.loads(client.hget(key, "doc"))
            if document["group"]["title"] != name_of(group):
                continue
            spoil(document)
            document["thread"]["shown"] = ""
            version = int(client.hget(key, "version")) + 1
            client.hset(key, mapping={"doc": json.dumps(document), "version": version})
            client.zadd("{tailback}:due", {key.decode().removeprefix(PREFIX): 0})
            return str(document["id"])
    raise AssertionError(f"group {group} has no record")


def fired_again(after_seconds: float) -> Callable[[Json], None]:
    """A latest action: the alert has fired again after a time that may be none; as if that had been tried twice."""

    def spoil(document: Json) -> None:
        entries: list[Json] = document["log"]["timeline"]  # type: ignore[index]  # as the record has them
        details = {"kind": "fired_again", "after_seconds": after_seconds}
        again = {"number": 99, "at": document["opened_at"], "event": "reopened", "details": details}
        entries[:] = [*(one for one in entries if one["number"] != again["number"]), again]
        document["trouble"]["attempts"] = 2  # type: ignore[index]  # as the record has them

    return spoil


def told_wait(seconds: float, attempts: int) -> Callable[[Json], None]:
    """The last report: a queue that has doubled since, with a wait that no reply can show; and how often it failed."""

    def spoil(document: Json) -> None:
        latest = {"at": 0.0, "queued": 1, "oldest_wait_seconds": seconds, "worst": None}
        document["pools"]["reported"] = latest  # type: ignore[index]  # as the record has them
        document["trouble"]["attempts"] = attempts  # type: ignore[index]  # as the record has them

    return spoil


def repaired(document: Json) -> None:
    """Every figure that is no number is one again, also in the entry that could not be drawn."""
    document.update(json.loads(json.dumps(document).replace("NaN", "60.0")))


def used_seconds(process: Process) -> float:
    fields = Path(f"/proc/{process.pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def calm_shares(system: System) -> dict[str, float]:
    """Shares of a processor, once others' incidents are worked off: what spins on the poison never gets calm."""
    for _ in range(CALM_LOOKS):
        if max((taken := await shares(system)).values()) < MOST_SHARE:
            break
    return taken


async def shares(system: System) -> dict[str, float]:
    before, begun = {p.name: used_seconds(p) for p in system.processes.values()}, time.monotonic()
    await asyncio.sleep(WATCHED_SECONDS)
    lasted = time.monotonic() - begun
    return {p.name: (used_seconds(p) - before[p.name]) / lasted for p in system.processes.values()}


def posts(system: System, words: str) -> int:
    messages = system.stand_in.workspace.channels[CHANNEL].messages.values()
    return sum(words in f"{message.get('text')}" for message in messages)


@pytest.mark.plan(webs=1, workers=2)
async def test_rt_6_an_incident_that_cannot_be_drawn_is_told_in_plain_words(system: System) -> None:
    """Drawing one in full raises every time: it is shown plainly, and `retry` draws it in full when it can be."""
    await system.opened(1)
    await asyncio.sleep(0.3)
    (spoilt,), incident = roots(system), change(system, 1, fired_again(math.nan))
    await system.eventually(lambda: buttons(system, spoilt) == [], "the plain words")
    assert any("work failed" in worker.output() for worker in system.workers)
    assert change(system, 1, fired_again(60.0)) == incident
    await system.queue(f"retry {incident}")
    await system.eventually(lambda: "Acknowledge" in buttons(system, spoilt), "the full message")
    await kept(system)


@pytest.mark.plan(webs=2, workers=3, pools=True)
async def test_rt_6_a_poison_incident_is_quarantined_and_fifty_others_go_on(
    system: System, rounds: int, figure: Figure
) -> None:
    """Working on one raises every time, plainly too: told once, then left alone; no process takes 20 % after that.

    By default it has failed three times when it is planted, in the long form never.
    """
    failed = 0 if rounds >= LONG else 3
    await system.opened(1)
    await asyncio.sleep(0.3)
    incident = change(system, 1, told_wait(math.nan, failed))
    begun = time.monotonic()
    for number in range(2, 52):
        await system.send(number)
    await system.eventually(lambda: len(roots(system)) == 51, "50 others")
    figure("RT-6 seconds until 50 others stood", time.monotonic() - begun)
    await system.eventually(lambda: posts(system, f"/queue retry {incident}") == 1, "the quarantine is told")
    raised = sum(worker.output().count("work failed") for worker in system.workers)
    taken = await calm_shares(system)
    figure("RT-6 largest share of a processor", max(taken.values()))
    assert max(taken.values()) < MOST_SHARE, taken
    assert sum(worker.output().count("work failed") for worker in system.workers) == raised, "it rests"
    assert posts(system, f"/queue retry {incident}") == 1
    change(system, 1, repaired)
    await system.queue(f"retry {incident}")
    await kept(system)


@pytest.mark.plan(webs=1, workers=2)
async def test_rt_6_a_record_that_nobody_can_read_holds_up_nobody(system: System) -> None:
    """Due records of no known shape or kind: said in the log, put aside for a minute, and the others go on."""
    with system.redis.client as client:
        for number, document in enumerate((b"{}", b"\x80\x04N.", b'{"id": 1}', b"[" * 100_000)):
            client.hset(f"{PREFIX}inc:bad{number}", mapping={"doc": document, "version": 1})
            client.zadd("{tailback}:due", {f"inc:bad{number}": 0})
        client.zadd("{tailback}:due", {"ufo:1": 0})
    for number in range(1, 11):
        await system.send(number)
    await system.eventually(lambda: len(roots(system)) == 10, "ten others")
    output = "".join(worker.output() for worker in system.workers)
    await system.eventually(
        lambda: "".join(worker.output() for worker in system.workers).count("record unreadable") == 5, output, 5
    )
    assert max((await calm_shares(system)).values()) < MOST_SHARE
    await kept(system)
