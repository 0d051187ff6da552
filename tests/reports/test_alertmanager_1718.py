"""prometheus/alertmanager#1718: two Prometheus and two Alertmanagers tell one alert, each with the start that it knows.

Alertmanager keeps the earliest start it has heard of, so that the end may have an earlier one than the firing had.
"""

from pathlib import Path

import pytest

from bot.core.incident.incident import State
from bot.incidents.intake import Taken
from tests.reports.senders import sending


@pytest.mark.needs("alertmanager")
async def test_an_end_with_an_earlier_start_ends_it(tmp_path: Path) -> None:
    async with sending(tmp_path) as sender:
        sender.world.queues(14)
        await sender.hears(sender.alert(600, since=30))
        await sender.told(Taken.OPENED)
        await sender.hears(sender.alert(600, since=60))
        await sender.hears(sender.alert(-0.1, since=60))
        await sender.told(Taken.JOINED)
        assert sender.world.incident.state is State.EASING
