"""The signals of runners in Kubernetes: cAdvisor for their pods, kube-state-metrics for the nodes below them."""

from bot.adapters.signals.ask import PoolSignal
from bot.adapters.signals.promql import counting, either, own, rate
from bot.core.signals.signal import SignalKind

POD = "namespace, pod"


def signals(match: str) -> list[PoolSignal]:
    """The set for the pods that these matchers find. Every number is a judgement of ours."""
    real = 'container!="", container!="POD"'
    waits = f"max by ({POD}) ({rate('container_pressure_cpu_waiting_seconds_total', match)}) > bool 0.5"
    slowed = f"sum by ({POD}) ({rate('container_cpu_cfs_throttled_periods_total', match)})"
    periods = f"sum by ({POD}) ({rate('container_cpu_cfs_periods_total', match)})"
    used = f"container_memory_working_set_bytes{{{own(match)}{real}}}"
    limit = f"(container_spec_memory_limit_bytes{{{own(match)}{real}}} > 0)"
    out = f"sum by ({POD}) (increase(container_oom_events_total{{{match}}}[15m])) > bool 0"
    ended = f'kube_pod_container_status_last_terminated_reason{{{own(match)}reason="OOMKilled"}}'
    stands = f"max by ({POD}) ({rate('container_pressure_io_stalled_seconds_total', match)}) > bool 0.3"
    errors = ("container_network_receive_errors_total", "container_network_transmit_errors_total")
    lost = (f"sum by ({POD}) ({rate(metric, match)}) > bool 1" for metric in errors)
    memory = either(POD, f"max by ({POD}) ({used} / {limit}) > bool 0.95", out, f"max by ({POD}) ({ended}) > bool 0")
    throttled = f"{slowed} / {periods} > bool 0.5"
    return [
        counting("cpu", SignalKind.CPU, "have no CPU to spare", f"({waits}) or ({throttled})", "pod"),
        counting("memory", SignalKind.MEMORY, "reach their memory limit", memory, "pod"),
        counting("node_memory", SignalKind.MEMORY, "have no memory left", _nodes("MemoryPressure", match), "node"),
        counting("disk", SignalKind.DISK, "are short of disk", _nodes("DiskPressure", match), "node"),
        counting("io", SignalKind.IO, "wait for their disks", stands, "pod"),
        counting("network", SignalKind.NETWORK, "lose packets", either(POD, *lost), "pod"),
    ]


def _nodes(condition: str, match: str) -> str:
    """The nodes below the pods, each with whether it has a condition."""
    has = f'max by (node) (kube_node_status_condition{{condition="{condition}", status="true"}})'
    return f"{has} and on (node) kube_pod_info{{{match}}}"
