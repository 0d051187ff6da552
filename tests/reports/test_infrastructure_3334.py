"""2i2c-org/infrastructure#3334: one zone of an Auto Scaling group has no machines of a type left, others have."""

from bot.core.pool.pool import Tally
from tests.reports.fleet import Fleet


async def test_the_zone_of_the_refused_launches_is_named() -> None:
    fleet = Fleet()
    fleet.knows("github", queued=30, oldest_wait_seconds=2400.0, busy=6, idle=0, offline=0, limit=40)
    refused = (Tally("InsufficientInstanceCapacity", 11.0),)
    marks = (Tally("zone us-west-2a", 11.0),)
    fleet.knows(
        "ec2_auto_scaling", create_failures=11, create_failures_by_code=refused, failures_by_mark=marks, creates=4
    )
    await fleet.fires()
    await fleet.passes(15)
    said = await fleet.diagnosis()
    assert "the cloud is out of this machine type" in said
    assert "11 of 11 failed ones have one thing in common: zone us-west-2a" in said
