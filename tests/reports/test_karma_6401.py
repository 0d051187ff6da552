"""prymitive/karma#6401 and prometheus/alertmanager#3513: the API lists alerts of which Alertmanager notifies nobody.

They are silenced, inhibited, or muted by a time interval (which the API says since 0.28).
"""

from dataclasses import replace
from pathlib import Path

import pytest

from bot.core.alert import GUESSED
from bot.core.incident.incident import State
from bot.maintenance.resync import resync
from bot.playground.fleet.api.wire import written
from tests.builders import delivery
from tests.reports.senders import asked, sending
from tests.world import LABELS, World

KEY = f'{GUESSED}{{alertname="Runner queue is long"}}'
HOUR = {"startsAt": written(1e9), "endsAt": written(4e9)}
PLANNED = {"matchers": [{"name": "alertname", "value": LABELS["alertname"], "isRegex": False}], **HOUR}


@pytest.mark.needs("alertmanager")
@pytest.mark.needs("amtool")
async def test_what_somebody_silenced_before_it_fired_opens_no_thread(tmp_path: Path) -> None:
    async with sending(tmp_path) as sender, asked(sender):
        await sender.post("silences", {**PLANNED, "createdBy": "ana", "comment": "planned work"})
        await sender.hears(sender.alert(600))
        await resync(sender.world.context)
        assert sender.world.incidents == []
        (silence,) = await sender.world.context.alertmanagers["main"].silenced()
        await sender.world.context.alertmanagers["main"].end(silence.id)
        await resync(sender.world.context)
        assert sender.world.incident.state is State.OPEN


async def test_it_does_not_reopen_a_thread_and_keeps_an_open_one_open(world: World) -> None:
    listed = delivery(group_key=KEY, suppressed=True)
    world.alertmanager.active = (listed,)
    await world.opens()
    world.clock.advance(world.context.settings.file.timing.resync + 1)
    await resync(world.context)
    assert world.incident.group.firing
    await world.done(world.asks("resolve", surface="dialog"))
    again = replace(listed.alerts[0], starts_at=world.clock.now())
    world.alertmanager.active = (replace(listed, alerts=(again,)),)
    await resync(world.context)
    assert world.incident.state is State.RESOLVED
