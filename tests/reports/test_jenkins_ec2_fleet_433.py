"""jenkinsci/ec2-fleet-plugin#433: builds wait for the one instance that is there, and the fleet adds none."""

from bot.core.incident.incident import State
from tests.reports.fleet import Fleet


async def test_what_waits_for_a_node_by_its_name_belongs_to_the_pool_of_its_label() -> None:
    fleet = Fleet()
    since = 1000 * (fleet.clock.now() - 1800)
    item = {
        "why": "Waiting for next available executor on ‘i-0123’",
        "inQueueSince": since,
        "buildable": True,
        "task": {"name": "test_2", "url": ""},
    }
    node = {
        "_class": "com.amazon.jenkins.ec2fleet.EC2FleetNodeComputer",
        "displayName": "i-0123",
        "offline": False,
        "numExecutors": 1,
        "assignedLabels": [{"name": "ec2-fleet"}],
        "executors": [{"idle": False}],
    }
    fleet.system(
        "jenkins",
        {"/queue/api/json": {"items": [item, item]}, "/computer/api/json": {"computer": [node]}},
        {"label": "ec2-fleet"},
        basic_env="LOGIN",
    )
    await fleet.fires()
    await fleet.resolves(10)
    assert (fleet.now.queued, fleet.now.busy, fleet.now.idle, fleet.state) == (2, 1, 0, State.EASING)
