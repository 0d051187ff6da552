"""P8 and P4 while Slack is away: it is counted, said outside Slack once, and made up for."""

from pathlib import Path

import pytest

from tests.faults.checker import judged, roots
from tests.faults.house import Plan, house
from tests.processes import Zygote

pytestmark = pytest.mark.needs("redis-server")


async def test_a_long_outage_is_told_outside_slack_once_and_its_end_too(zygote: Zygote, tmp_path: Path) -> None:
    """No connection to Slack for longer than `after`: the pager is told, the age is a metric; then all threads."""
    async with house(zygote, tmp_path, Plan(webs=1, workers=2, after="2s")) as home:
        home.to_slack.cut()
        for number in range(5):
            assert (await home.send(number)).status == 200
        await home.eventually(lambda: len(home.ends.paged) == 1, "the pager")
        assert home.ends.paged[0]["event"] == "slack_unreachable"
        assert "5 incidents" in str(home.ends.paged[0]["text"])
        page = await home.page("/metrics")
        age = next(line.split()[1] for line in page.splitlines() if line.startswith("tailback_undelivered_seconds "))
        assert float(age) > 1
        home.to_slack.mend()
        verdict = await judged(home)
        assert verdict.kept, verdict
        assert len(roots(home)) == 5
        await home.eventually(lambda: len(home.ends.paged) == 2, "the end")
        assert home.ends.paged[1]["event"] == "slack_recovered"
