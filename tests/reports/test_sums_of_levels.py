"""CloudWatch adds up whatever it is asked to: the sum of a level over time is no level.

justeattakeaway/AwsWatchman#294: two readings of a queue in one period were alarmed on as twice as many messages.
govuk-one-login/authentication-api#6833: an alarm counted one message once for each minute.
buildkite/elastic-ci-stack-for-aws#151: the number of scheduled jobs is written every 15 seconds.
"""

from typing import Any

import pytest
from pydantic import ValidationError

from bot.adapters.metrics.cloudwatch import CloudwatchPool
from bot.core.pool.pool import Snapshot
from tests.adapters.metrics.test_cloudwatch import RIG, Put
from tests.builders import POOL

pytestmark = pytest.mark.usefixtures("made_up_aws")
JOBS = {"namespace": "Buildkite", "name": "ScheduledJobsCount", "dimensions": {"Queue": POOL}}
WAIT = {"namespace": "CI", "name": "OldestWait", "dimensions": {"Queue": POOL}}
STARTED = {"namespace": "CI", "name": "Started", "dimensions": {"Queue": POOL}}


async def look(moto_url: str, **custom: Any) -> Snapshot:
    """Five jobs for ten minutes, the oldest for longer and longer, while one job starts every other minute."""
    cloud = Put(moto_url)
    for minute in range(1, 11):
        for reading in range(2):
            cloud.put("Buildkite", "ScheduledJobsCount", 5, minute + reading / 4, Queue=POOL)
        cloud.put("CI", "OldestWait", 60 * (20 - minute), minute, Queue=POOL)
        if minute % 2:
            cloud.put("CI", "Started", 3, minute, Queue=POOL)
    return await RIG.look(cloud, keys={"custom": custom})


async def test_a_level_is_that_of_the_newest_minute(moto_url: str) -> None:
    found = await look(moto_url, queued=JOBS, oldest_wait_seconds=WAIT)
    assert (found.queued, found.oldest_wait_seconds) == (5, 1140.0)


async def test_what_is_counted_in_a_minute_is_a_mean_of_minutes(moto_url: str) -> None:
    found = await look(moto_url, starts_per_minute=STARTED, creates=STARTED)
    assert (found.starts_per_minute, found.creates) == (1.0, 15)


@pytest.mark.parametrize("figure", ["queued", "busy", "oldest_wait_seconds", "limit", "requests"])
def test_the_sum_of_a_level_is_refused(figure: str) -> None:
    with pytest.raises(ValidationError, match="the sum of 15 minutes is no"):
        CloudwatchPool.model_validate({"custom": {figure: {**JOBS, "stat": "Sum"}}})
