"""What no delivery, and no record, tells any more is read from outside again: resync, lost data, second threads."""

import asyncio

import pytest

from tests.faults.checker import kept, roots
from tests.faults.ends import POOL
from tests.faults.groups import firing_group, webhook
from tests.faults.system import System

pytestmark = pytest.mark.needs("redis-server")


@pytest.mark.plan(webs=1, workers=2, resync="500ms")
async def test_a_group_that_no_delivery_told_of_is_opened_once(system: System) -> None:
    """What fires at the source opens its thread; the delivery that comes after all joins it, though its key differs."""
    system.ends.firing.append(firing_group(1))
    await system.eventually(lambda: len(roots(system)) == 1, "a thread for what fires")
    nested = webhook(1).replace(b'"{}:{alertname', b'"{}/{team=\\"ci\\"}:{alertname')
    assert (await system.send(1, nested)).status == 200
    assert (await system.send(1)).status == 200
    await asyncio.sleep(1.5)
    await kept(system)
    assert len(roots(system)) == 1


@pytest.mark.plan(webs=1, workers=2, resync="1s")
async def test_an_incident_whose_alert_is_gone_at_the_source_ends(system: System) -> None:
    """The resolved delivery was lost: after two resyncs the incident is over all the same."""
    system.ends.firing.append(firing_group(1))
    await system.opened(1)
    await asyncio.sleep(2.5)
    replies = system.replies(roots(system)[0].ts)
    assert all(text.startswith("*Alert:*") for text in replies), "nothing but the alert's words"
    system.ends.firing.clear()
    await system.eventually(lambda: "RESOLVED" in roots(system)[0].text, "the end")


@pytest.mark.plan(webs=2, workers=2, resync="1s")
async def test_losing_all_records_goes_on_in_the_same_threads(system: System) -> None:
    """FLUSHALL while all runs: noticed, no second thread, and the old threads' buttons work again."""
    for number in range(5):
        system.ends.firing.append(firing_group(number))
        await system.send_until_taken(number)
    await system.eventually(lambda: len(roots(system)) == 5, "five threads")
    before = {root.ts for root in roots(system)}
    with system.redis.client as client:
        client.flushall()
    await system.eventually(lambda: any("redis lost data" in p.output() for p in system.workers), "the loss noticed")
    await system.eventually(
        lambda: all("continues here" in " ".join(system.replies(ts)) for ts in before), "every thread taken up"
    )
    await asyncio.gather(*(system.send(number) for number in range(5)))
    await asyncio.sleep(1)
    await kept(system)
    assert {root.ts for root in roots(system)} == before


@pytest.mark.plan(webs=1, workers=2, pools=True, sweep="500ms")
async def test_a_silence_that_was_lost_is_made_once_more_and_said(system: System) -> None:
    """The Alertmanager forgets it: made again with the same tag and end, told in the thread, and only once."""
    await system.opened(1)
    await system.queue(f"silence {POOL} 2h")
    root = roots(system)[0].ts
    await system.eventually(lambda: any("silenced" in text for text in system.replies(root)), "the silence")
    system.ends.forget_silences()
    await system.eventually(lambda: any("created again" in text for text in system.replies(root)), "it is said")
    await asyncio.sleep(1.5)
    assert len(system.ends.active()) == 1
    assert len(system.ends.silenced) == 2
    assert system.ends.silenced[0].rpartition("[")[2] == system.ends.silenced[1].rpartition("[")[2]
    assert len([text for text in system.replies(root) if "created again" in text]) == 1
