"""The sets of signals against a real Prometheus: from what exporters show to the sentence in the thread."""

import time
from collections.abc import Iterator, Mapping

import pytest

from bot.adapters.metrics.prometheus import Prometheus, build
from bot.adapters.prometheus.answers import Unknown
from bot.adapters.prometheus.discover import discovered
from bot.adapters.signals.ask import Number, SignalQuery
from bot.adapters.signals.configured import SETS
from bot.core.signals.signal import Signal
from tests.adapters.back_end import parts_with, patient_pool
from tests.adapters.thread_words import thread_words
from tests.real_prometheus import RealPrometheus, real_prometheus

pytestmark = pytest.mark.needs("prometheus")
PAST_SECONDS = 1200.0
MATCH = {"node_exporter": 'job="node", pool="linux"', "kubernetes": 'namespace="ci", pod=~"linux-.*"'}
Metrics = Mapping[str, float]
GiB = 1024.0**3
PRESSURE: Metrics = {
    f"node_pressure_{what}_seconds_total": 0.05 for what in ("cpu_waiting", "memory_stalled", "io_stalled")
}
MACHINES: dict[str, tuple[Metrics, Metrics]] = {
    "well": (PRESSURE, {}),
    **dict.fromkeys(
        ("full", "full too", "as full"),
        (PRESSURE, {'node_filesystem_avail_bytes{mountpoint="/work",fstype="ext4"}': 1 * GiB}),
    ),
    "no inodes": (PRESSURE, {'node_filesystem_files_free{mountpoint="/work",fstype="ext4"}': 9}),
    "old and busy": ({'node_cpu_seconds_total{cpu="0",mode="idle"}': 0.01}, {}),
    "robbed": ({**PRESSURE, 'node_cpu_seconds_total{cpu="0",mode="steal"}': 0.2}, {}),
    "crowded": ({**PRESSURE, "node_pressure_cpu_waiting_seconds_total": 0.8}, {}),
    "thrashing": ({**PRESSURE, "node_pressure_memory_stalled_seconds_total": 0.3}, {}),
    "old and full of work": ({}, {"node_memory_MemAvailable_bytes": 0.2 * GiB}),
    "killing": ({**PRESSURE, "node_vmstat_oom_kill": 0.01}, {}),
    "standing": ({**PRESSURE, "node_pressure_io_stalled_seconds_total": 0.5}, {}),
    "old and slow": ({'node_cpu_seconds_total{cpu="0",mode="iowait"}': 0.5}, {}),
    "lossy": ({**PRESSURE, "node_netstat_Tcp_RetransSegs": 5}, {}),
    "broken cable": ({**PRESSURE, 'node_network_receive_errs_total{device="eth0"}': 9}, {}),
}
"""Machine: what grows a second where it differs from the usual, and what stands still. Those without PSI are old."""
GROWS: Metrics = {
    'node_cpu_seconds_total{cpu="0",mode="idle"}': 0.4, 'node_cpu_seconds_total{cpu="0",mode="iowait"}': 0.02,
    'node_cpu_seconds_total{cpu="0",mode="steal"}': 0, 'node_cpu_seconds_total{cpu="0",mode="user"}': 0.5,
    "node_vmstat_oom_kill": 0, "node_netstat_Tcp_OutSegs": 100, "node_netstat_Tcp_RetransSegs": 0.1,
    'node_network_receive_errs_total{device="eth0"}': 0,
}  # fmt: skip
STANDS: Metrics = {
    "node_memory_MemAvailable_bytes": 6 * GiB, "node_memory_MemTotal_bytes": 8 * GiB,
    'node_filesystem_avail_bytes{mountpoint="/work",fstype="ext4"}': 60 * GiB,
    'node_filesystem_size_bytes{mountpoint="/work",fstype="ext4"}': 100 * GiB,
    'node_filesystem_files_free{mountpoint="/work",fstype="ext4"}': 900,
    'node_filesystem_files{mountpoint="/work",fstype="ext4"}': 1000,
    'node_filesystem_avail_bytes{mountpoint="/snap",fstype="squashfs"}': 0,
    'node_filesystem_size_bytes{mountpoint="/snap",fstype="squashfs"}': 100 * GiB,
}  # fmt: skip
STALLED = "container_pressure_io_stalled_seconds_total"
PODS: dict[str, tuple[Metrics, Metrics]] = {
    "well": (
        {"container_pressure_cpu_waiting_seconds_total": 0.1, "container_pressure_io_stalled_seconds_total": 0},
        {},
    ),
    "crowded": ({"container_pressure_cpu_waiting_seconds_total": 0.7}, {}),
    "throttled": ({"container_cpu_cfs_throttled_periods_total": 8}, {}),
    "swollen": ({}, {"container_memory_working_set_bytes": 15.9 * GiB}),
    "killed": ({}, {'kube_pod_container_status_last_terminated_reason{reason="OOMKilled"}': 1}),
    "dying": ({"container_oom_events_total": 0.01}, {}),
    "standing": ({STALLED: 0.6}, {}),
    "lossy": ({'container_network_receive_errors_total{interface="eth0"}': 4}, {}),
}
POD_GROWS: Metrics = {
    "container_cpu_cfs_throttled_periods_total": 0.5, "container_cpu_cfs_periods_total": 10,
    "container_oom_events_total": 0, 'container_network_receive_errors_total{interface="eth0"}': 0,
    'container_network_transmit_errors_total{interface="eth0"}': 0,
}  # fmt: skip
POD_STANDS: Metrics = {"container_memory_working_set_bytes": 4 * GiB, "container_spec_memory_limit_bytes": 16 * GiB}
FOUND: dict[str, dict[str, tuple[float, int]]] = {
    "node_exporter": {"cpu": (3, 15), "memory": (3, 15), "disk": (4, 15), "io": (2, 15), "network": (2, 15)},
    "kubernetes": {
        "cpu": (2, 8),
        "memory": (3, 8),
        "node_memory": (0, 2),
        "disk": (1, 2),
        "io": (1, 2),
        "network": (1, 8),
    },
}


def line(metric: str, labels: str, value: float) -> str:
    name, _, more = metric.partition("{")
    return f"{name}{{{labels}{',' + more if more else '}'} {value}"


def shown(at: float) -> str:
    """All machines, all pods and two nodes; counters grow evenly since the day began."""
    since, lines = at % 86_400, list[str]()
    for machine, (grows, stands) in MACHINES.items():
        own = f'instance="{machine}",job="node",pool="linux"'
        lines += [line(metric, own, since * rate) for metric, rate in {**GROWS, **grows}.items()]
        lines += [line(metric, own, value) for metric, value in {**STANDS, **stands}.items()]
    for pod, (grows, stands) in PODS.items():
        own = f'instance="kubelet",job="cadvisor",namespace="ci",pod="linux-{pod}",container="runner"'
        lines += [line(metric, own, since * rate) for metric, rate in {**POD_GROWS, **grows}.items()]
        lines += [line(metric, own, value) for metric, value in {**POD_STANDS, **stands}.items()]
        node = "a" if pod in {"well", "crowded"} else "b"
        lines.append(f'kube_pod_info{{instance="ksm",job="ksm",namespace="ci",pod="linux-{pod}",node="{node}"}} 1')
    for node, condition, value in (("a", "DiskPressure", 0), ("b", "DiskPressure", 1), ("c", "DiskPressure", 1),
                                   ("a", "MemoryPressure", 0), ("b", "MemoryPressure", 0)):  # fmt: skip
        labels = f'instance="ksm",job="ksm",node="{node}",condition="{condition}",status="true"'
        lines.append(f"kube_node_status_condition{{{labels}}} {value}")
    pod = 'namespace="ci",pod="arc-set-x7k2p-runner-abcde",node="a"'
    lines.append(f'kube_pod_info{{{pod},created_by_kind="EphemeralRunner",created_by_name="arc-set-x7k2p"}} 1')
    lines += [f'node_uname_info{{instance="{one}",nodename="{one}",job="node",pool="linux"}} 1' for one in MACHINES]
    lines += [
        'ci_jobs_queued{pool="linux"} 3',
        'ci_jobs_queued{pool="windows"} 3',
        'gha_assigned_jobs{name="arc-set"} 3',
    ]
    return "\n".join(lines)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealPrometheus]:
    with real_prometheus(tmp_path_factory.mktemp("prometheus"), shown, PAST_SECONDS, honored=True) as found:
        yield found


async def numbers(server: RealPrometheus, questions: Mapping[str, SignalQuery]) -> dict[str, object]:
    async with patient_pool() as wire:
        table = {"kind": "prometheus", "url": server.url}
        source = build("prometheus", "[metrics.prometheus]", table, {}, parts_with(wire, {}, time.time()))
        assert isinstance(source, Prometheus)
        return {**await source.numbers(questions)}


async def signals(server: RealPrometheus, name: str) -> dict[str, tuple[Signal, object]]:
    made = {one.signal.name: one for one in SETS[name][1](MATCH[name])}
    found = await numbers(server, {signal: one.question for signal, one in made.items()})
    return {signal: (one.signal, found[signal]) for signal, one in made.items()}


@pytest.mark.parametrize("name", MATCH)
async def test_each_signal_counts_the_machines_in_trouble(server: RealPrometheus, name: str) -> None:
    found = await signals(server, name)
    values = {signal: (one.value, one.of) for signal, (_, one) in found.items() if isinstance(one, Number)}
    assert values == FOUND[name]


async def test_machines_that_nobody_scrapes_are_unknown_and_no_zero(server: RealPrometheus) -> None:
    made = SETS["node_exporter"][1]('job="node", pool="windows"')
    found = await numbers(server, {one.signal.name: one.question for one in made})
    assert all(isinstance(one, Unknown) for one in found.values())
    wrong = await numbers(server, {"bad": SignalQuery("sum("), "good": SignalQuery("vector(3)")})
    assert isinstance(wrong["bad"], Unknown)
    assert isinstance(good := wrong["good"], Number)
    assert (good.value, good.of) == (3.0, None)


async def test_init_proposes_the_set_that_knows_the_machines(server: RealPrometheus) -> None:
    async with patient_pool() as wire:
        table = {"kind": "prometheus", "url": server.url}
        source = build("prometheus", "[metrics.prometheus]", table, {}, parts_with(wire, {}, time.time()))
        assert isinstance(source, Prometheus)
        assert set(await discovered(source.series)) == {
            ("ci", "linux", "node_exporter", 'job="node", pool="linux"'),
            ("ci", "windows", "", ""),
            ("arc", "arc-set", "kubernetes", 'namespace="ci", pod=~"arc-set-.*"'),
        }


async def test_the_past_of_a_signal_is_known_from_the_start(server: RealPrometheus) -> None:
    """So that an incident that opens a minute after the start still knows what was bad before."""
    (disk,) = (one for one in SETS["node_exporter"][1](MATCH["node_exporter"]) if one.signal.name == "disk")
    async with patient_pool() as wire:
        table, now = {"kind": "prometheus", "url": server.url}, time.time()
        source = build("prometheus", "[metrics.prometheus]", table, {}, parts_with(wire, {}, now))
        assert isinstance(source, Prometheus)
        questions = {"disk": disk.question, "bad": SignalQuery("sum(")}
        found = await source.numbers_over(questions, now - 900, now - 300, 60.0)
    assert {(one.value, one.of) for one in found["disk"].values()} == {(4.0, 15)}
    assert len(found["disk"]) == 11
    assert found["bad"] == {}


@pytest.mark.parametrize(
    ("name", "signal", "cause", "evidence"),
    [
        ("node_exporter", "cpu", "machines are short of CPU", "3 of 15 machines have no CPU to spare"),
        ("node_exporter", "memory", "machines are short of memory", "3 of 15 machines have no memory left"),
        ("node_exporter", "disk", "machines are short of disk", "4 of 15 machines have less than 5 % of disk free"),
        ("node_exporter", "io", "machines are short of disk", "2 of 15 machines wait for their disks"),
        ("node_exporter", "network", "the network of machines is slow", "2 of 15 machines lose packets"),
        ("kubernetes", "cpu", "machines are short of CPU", "2 of 8 pods have no CPU to spare"),
        ("kubernetes", "memory", "machines are short of memory", "3 of 8 pods reach their memory limit"),
        ("kubernetes", "disk", "machines are short of disk", "1 of 2 nodes are short of disk"),
        ("kubernetes", "io", "machines are short of disk", "1 of 2 pods wait for their disks"),
        ("kubernetes", "network", "the network of machines is slow", "1 of 8 pods lose packets"),
    ],
)
async def test_what_exporters_show_is_said_in_the_thread(
    server: RealPrometheus, name: str, signal: str, cause: str, evidence: str
) -> None:
    made, number = (await signals(server, name))[signal]
    assert isinstance(number, Number)
    words = await thread_words(made, number, "prometheus")
    assert cause in words
    assert f"{evidence} (" in words
    assert "ago: 0)" in words
