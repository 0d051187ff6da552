"""prometheus/alertmanager#952 and prometheus/prometheus#5277: firing, resolved, firing, while the alert never stopped.

Prometheus was late with its next word, so that Alertmanager took the alert for resolved. What follows has the same
start (grafana/grafana#105571 and #77285 have it from Grafana).
"""

from pathlib import Path

import pytest

from bot.core.incident.incident import State
from bot.incidents.intake import Taken
from tests.reports.senders import sending


@pytest.mark.needs("alertmanager")
async def test_an_alert_that_was_taken_for_resolved_fires_again_with_its_old_start(tmp_path: Path) -> None:
    async with sending(tmp_path) as sender:
        world = sender.world
        world.queues(14)
        await sender.hears(sender.alert(1))
        await sender.told(Taken.OPENED)
        await sender.told(Taken.JOINED)
        assert world.incident.state is State.EASING
        await world.passes(600)
        await sender.hears(sender.alert(600))
        await sender.told(Taken.JOINED)
        assert (world.incident.state, len(world.incident.group.firing)) == (State.OPEN, 1)
        await sender.hears(sender.alert(-0.1))
        await sender.told(Taken.JOINED)
        assert world.incident.state is State.EASING
