"""P8 and P4 while Slack is away: it is counted, said outside Slack once, and made up for."""

from pathlib import Path

import pytest

from tests.faults.checker import kept, roots
from tests.faults.system import Plan, opened_system
from tests.processes import Zygote

pytestmark = pytest.mark.needs("redis-server")


async def test_a_long_outage_is_told_outside_slack_once_and_its_end_too(zygote: Zygote, tmp_path: Path) -> None:
    """No connection to Slack for longer than `after`: the pager is told, the age is a metric; then all threads."""
    async with opened_system(zygote, tmp_path, Plan(webs=1, workers=2, after="2s")) as system:
        system.to_slack.cut()
        for number in range(5):
            assert (await system.send(number)).status == 200
        await system.eventually(lambda: len(system.ends.paged) == 1, "the pager")
        assert system.ends.paged[0]["event"] == "slack_unreachable"
        assert "5 incidents" in str(system.ends.paged[0]["text"])
        page = await system.page("/metrics")
        age = next(line.split()[1] for line in page.splitlines() if line.startswith("tailback_undelivered_seconds "))
        assert float(age) > 1
        system.to_slack.mend()
        await kept(system)
        assert len(roots(system)) == 5
        await system.eventually(lambda: len(system.ends.paged) == 2, "the end")
        assert system.ends.paged[1]["event"] == "slack_recovered"
