"""The signals of EC2 instances in CloudWatch: EC2's and EBS's own metrics, and those of the CloudWatch agent."""

from bot.adapters.signals.ask import PoolSignal, SignalQuery
from bot.core.signals.signal import Signal, SignalKind


def signals(match: str) -> list[PoolSignal]:
    """The set for the instances of one dimension, `AutoScalingGroupName=NAME`. Every number is a judgement of ours."""
    return [
        _each("cpu", SignalKind.CPU, "have no CPU to spare", f"AWS/EC2 CPUUtilization {match} Average", "> 95"),
        _each("credits", SignalKind.CPU, "have used up their CPU credits",
              f"AWS/EC2 CPUCreditBalance {match} Minimum", "< 1"),
        _each("memory", SignalKind.MEMORY, "have no memory left", f"CWAgent mem_used_percent {match} Maximum", "> 95"),
        _each("disk", SignalKind.DISK, "have less than 5 % of disk free",
              f"CWAgent disk_used_percent {match} Maximum", "> 95"),
        _each("io", SignalKind.IO, "have used up the burst credits of their disks",
              f"AWS/EC2 EBSIOBalance% {match} Minimum", "< 5"),
        _each("throughput", SignalKind.IO, "have used up the throughput credits of their disks",
              f"AWS/EC2 EBSByteBalance% {match} Minimum", "< 5"),
    ]  # fmt: skip


def _each(name: str, kind: SignalKind, says: str, metric: str, limit: str) -> PoolSignal:
    return PoolSignal(Signal(name, kind, says=says), SignalQuery(f"{metric} by InstanceId {limit}"))
