"""Signals from CloudWatch against moto: machines of an Auto Scaling group, and one metric by its name."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import boto3
import pytest

from bot.adapters.metrics.cloudwatch import Cloudwatch
from bot.adapters.prometheus.answers import Unknown
from bot.adapters.registry import METRICS
from bot.adapters.signals.ask import Number, SignalQuery
from bot.adapters.signals.configured import SETS
from tests.adapters.back_end import parts_with, patient_pool
from tests.adapters.metrics.test_cloudwatch import NOW, Put
from tests.adapters.thread_words import thread_words
from tests.docs_pages import page

GROUP = "linux-2xlarge"
QUERIES = re.findall(r"^```text\n(.*?)^```$", page("docs/reference/signals.md").text, re.M | re.S)[0].splitlines()
pytestmark = pytest.mark.usefixtures("made_up_aws")


@pytest.fixture
def cloud(moto_url: str) -> Put:
    return Put(moto_url)


def machines(cloud: Put, number: int) -> list[str]:
    """A group with so many instances."""
    group = boto3.client("autoscaling", region_name="us-east-1", endpoint_url=cloud.address)
    ec2 = boto3.client("ec2", region_name="us-east-1", endpoint_url=cloud.address)
    image = ec2.describe_images()["Images"][0]["ImageId"]
    group.create_launch_configuration(LaunchConfigurationName="runner", ImageId=image, InstanceType="t3.micro")
    group.create_auto_scaling_group(
        AutoScalingGroupName=GROUP, LaunchConfigurationName="runner", MinSize=number, MaxSize=number,
        AvailabilityZones=["us-east-1a"],
    )  # fmt: skip
    found = group.describe_auto_scaling_groups(AutoScalingGroupNames=[GROUP])["AutoScalingGroups"][0]["Instances"]
    return [str(one["InstanceId"]) for one in found]


def fills(cloud: Put, instance: str, percent: float, path: str = "/", fstype: str = "ext4") -> None:
    """What the agent tells of one disk."""
    cloud.put("CWAgent", "disk_used_percent", percent, 1, InstanceId=instance, AutoScalingGroupName=GROUP, path=path,
              fstype=fstype)  # fmt: skip


@asynccontextmanager
async def source(cloud: Put) -> AsyncIterator[Cloudwatch]:
    table = {"kind": "cloudwatch", "region": "us-east-1", "endpoint_url": cloud.address}
    async with patient_pool() as wire:
        made = METRICS["cloudwatch"](
            "cloudwatch", "[metrics.cloudwatch]", table, {}, parts_with(wire, {}, NOW.timestamp())
        )
        assert isinstance(made, Cloudwatch)
        yield made


async def test_the_set_counts_the_machines_of_the_group(cloud: Put) -> None:
    """Three machines: one is full, one has used up its credits; one that is gone is not asked for any more."""
    first, second, third = machines(cloud, 3)
    for instance, full, used, credit in ((first, 99, 40, 0), (second, 55, 97, 80), (third, 20, 30, 90)):
        cloud.put(
            "CWAgent",
            "disk_used_percent",
            full,
            InstanceId=instance,
            AutoScalingGroupName=GROUP,
            path="/",
            fstype="ext4",
        )
        cloud.put(
            "CWAgent",
            "disk_used_percent",
            100,
            InstanceId=instance,
            AutoScalingGroupName=GROUP,
            path="/run",
            fstype="tmpfs",
        )
        cloud.put("CWAgent", "mem_used_percent", used, InstanceId=instance, AutoScalingGroupName=GROUP)
        cloud.put("AWS/EC2", "CPUUtilization", 60, InstanceId=instance)
        cloud.put("AWS/EC2", "CPUCreditBalance", credit, InstanceId=instance)
    cloud.put(
        "CWAgent", "disk_used_percent", 99, InstanceId="i-gone", AutoScalingGroupName=GROUP, path="/", fstype="ext4"
    )
    signals = SETS["cloudwatch"][1](f"AutoScalingGroupName={GROUP}")
    async with source(cloud) as made:
        found = await made.numbers({one.signal.name: one.question for one in signals})
    numbers = {name: (one.value, one.of) for name, one in found.items() if isinstance(one, Number)}
    assert numbers == {"cpu": (0, 3), "credits": (1, 3), "memory": (1, 3), "disk": (1, 3)}
    silent = found["io"]
    assert isinstance(silent, Unknown)
    assert silent.what == "CloudWatch has no data of AWS/EC2 EBSIOBalance% for these machines"


BAD: dict[str, tuple[str, str, float, str, str]] = {
    "cpu": ("AWS/EC2", "CPUUtilization", 99, "machines are short of CPU", "have no CPU to spare"),
    "credits": ("AWS/EC2", "CPUCreditBalance", 0, "machines are short of CPU", "have used up their CPU credits"),
    "memory": ("CWAgent", "mem_used_percent", 97, "machines are short of memory", "have no memory left"),
    "disk": ("CWAgent", "disk_used_percent", 99, "machines are short of disk", "have less than 5 % of disk free"),
    "io": (
        "AWS/EC2", "EBSIOBalance%", 2, "machines are short of disk", "have used up the burst credits of their disks",
    ),
    "throughput": (
        "AWS/EC2", "EBSByteBalance%", 2, "machines are short of disk",
        "have used up the throughput credits of their disks",
    ),
}  # fmt: skip
"""Signal of the set: its metric, a value in trouble, and what is said of it."""


def shows(cloud: Put, signal: str, instance: str, value: float) -> None:
    """What EC2, or the agent on the instance, tells."""
    space, metric, *_ = BAD[signal]
    group = {"AutoScalingGroupName": GROUP} if space == "CWAgent" else {}
    disk = {"path": "/", "fstype": "ext4"} if signal == "disk" else {}
    cloud.put(space, metric, value, 1, InstanceId=instance, **group, **disk)


@pytest.mark.parametrize("signal", BAD)
async def test_what_cloudwatch_tells_is_said_in_the_thread(cloud: Put, signal: str) -> None:
    """Two of three machines are in trouble; the third has half of everything."""
    _, _, value, cause, says = BAD[signal]
    for instance, shown in zip(machines(cloud, 3), (value, value, 50), strict=True):
        shows(cloud, signal, instance, shown)
    (made,) = (one for one in SETS["cloudwatch"][1](f"AutoScalingGroupName={GROUP}") if one.signal.name == signal)
    async with source(cloud) as reader:
        number = (await reader.numbers({signal: made.question}))[signal]
    assert isinstance(number, Number)
    words = await thread_words(made.signal, number, "cloudwatch")
    assert cause in words
    assert f"2 of 3 machines {says} (" in words
    assert "ago: 0)" in words


async def test_the_queries_of_the_page_are_understood(cloud: Put) -> None:
    (one,) = machines(cloud, 1)
    cloud.put("AWS/RDS", "ReadLatency", 0.8, DBInstanceIdentifier="artifacts")
    fills(cloud, one, 99)
    async with source(cloud) as made:
        found = await made.numbers({query: SignalQuery(query) for query in QUERIES})
    assert [(one.value, one.of) for one in found.values() if isinstance(one, Number)] == [(0.8, None), (1, 1)]


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("SELECT 1", "CloudWatch has no data of SELECT 1"),
        ("nothing", "is no query of a metric"),
        ("CWAgent mem_used_percent AutoScalingGroupName=gone by InstanceId > 5", "there is no group gone"),
    ],
)
async def test_what_is_not_there_is_unknown(cloud: Put, query: str, why: str) -> None:
    async with source(cloud) as made:
        (found,) = (await made.numbers({"one": SignalQuery(query)})).values()
    assert isinstance(found, Unknown)
    assert found.what == why
