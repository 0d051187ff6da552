"""The signals of machines with Prometheus's node_exporter.

Pressure (PSI) comes first: it says how long work stood still for want of something, which a busy processor alone does
not. Kernels without it, and exporters that do not export it, are judged by the older metrics.
"""

from bot.adapters.signals.ask import PoolSignal
from bot.adapters.signals.promql import counting, either, own, rate
from bot.core.signals.signal import SignalKind

DISKS = 'fstype!~"tmpfs|devtmpfs|ramfs|overlay|squashfs|erofs|iso9660|nfs.*|cifs|fuse.*"'
"""Without what is no disk of the machine, or always full."""


def signals(match: str) -> list[PoolSignal]:
    """The set for the machines that these matchers find. Every number is a judgement of ours, unless it says more."""
    cores = f'count by (instance) (node_cpu_seconds_total{{{own(match)}mode="idle"}})'
    cpu = "node_cpu_seconds_total"
    rests = "sum by (instance) (" + rate(cpu, match, 'mode=~"idle|iowait"') + ")"
    waits = f"max by (instance) ({rate('node_pressure_cpu_waiting_seconds_total', match)}) > bool 0.5"
    stolen = "avg by (instance) (" + rate(cpu, match, 'mode="steal"') + ") > bool 0.1"
    stalls = f"max by (instance) ({rate('node_pressure_memory_stalled_seconds_total', match)}) > bool 0.1"
    left = f"node_memory_MemAvailable_bytes{{{match}}} / node_memory_MemTotal_bytes{{{match}}} < bool 0.05"
    killed = f"max by (instance) (increase(node_vmstat_oom_kill{{{match}}}[15m])) > bool 0"
    free = _free("avail_bytes", "size_bytes", match)
    inodes = _free("files_free", "files", match)
    stands = f"max by (instance) ({rate('node_pressure_io_stalled_seconds_total', match)}) > bool 0.3"
    iowait = "avg by (instance) (" + rate(cpu, match, 'mode="iowait"') + ") > bool 0.3"
    sent = f"clamp_min({rate('node_netstat_Tcp_OutSegs', match)}, 1)"
    again = f"max by (instance) ({rate('node_netstat_Tcp_RetransSegs', match)} / {sent}) > bool 0.02"
    errors = f"sum by (instance) ({rate('node_network_receive_errs_total', match)}) > bool 1"
    full = f"1 - {rests} / {cores} > bool 0.95"
    by = "instance"
    return [
        counting("cpu", SignalKind.CPU, "have no CPU to spare", either(by, f"({waits}) or ({full})", stolen)),
        counting("memory", SignalKind.MEMORY, "have no memory left", either(by, _first(stalls, left), killed)),
        counting("disk", SignalKind.DISK, "have less than 5 % of disk free", either(by, free, inodes)),
        counting("io", SignalKind.IO, "wait for their disks", f"({stands}) or ({iowait})"),
        counting("network", SignalKind.NETWORK, "lose packets", either(by, again, errors)),
    ]


def _first(stalls: str, left: str) -> str:
    """Pressure where it is known, else what is left; both under the name of the machine alone."""
    return f"({stalls}) or (max by (instance) ({left}))"


def _free(left: str, whole: str, match: str) -> str:
    """The fullest disk of each machine."""
    disks = f"{own(match)}{DISKS}"
    return f"min by (instance) (node_filesystem_{left}{{{disks}}} / node_filesystem_{whole}{{{disks}}}) < bool 0.05"
