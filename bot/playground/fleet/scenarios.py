"""The scenarios of the simulated fleet, each with its true cause."""

from dataclasses import dataclass, replace

from bot.playground.fleet.alerting.rules import Flavour, QueueRule
from bot.playground.fleet.faults import FleetFault, FleetFaultKind
from bot.playground.fleet.spec import Burst, PoolSpec, Rate
from bot.playground.fleet.usual_pools import GPU, LINUX, LINUX_LARGE, MACOS, WINDOWS

MINUTE = 60.0
HOUR = 3600.0
DEMO_SPEED = 60.0
DEFAULT = "surge"
DEFAULT_SEED = 4


@dataclass(frozen=True, slots=True)
class Scenario:
    """One scenario. Simulated time 0 is when the visitor starts to watch; the time before is simulated in advance.

    `true_cause` is the actual cause, `affected` its pools. `helps` says whether Scale up is right.
    With `warned` Tailback also watches the pools before an alert fires, and knows the alert's threshold and the weeks
    before.
    """

    name: str
    title: str
    text: str
    try_this: str
    true_cause: str
    helps: bool
    affected: tuple[str, ...]
    rule: QueueRule
    pools: tuple[PoolSpec, ...]
    faults: tuple[FleetFault, ...] = ()
    warned: bool = False
    signals: bool = False
    """Whether Tailback knows the disks of the machines."""


ALL_QUEUES = QueueRule(
    Flavour.GRAFANA, "Jobs are Queued - autoscaled-machines", "dez2aomgvru2oe", minutes_limit=30, size_limit=200
)
ONE_QUEUE = QueueRule(Flavour.ALERTMANAGER, "RunnerQueueTooLong", "runner-queue", minutes_limit=30, size_limit=200)

HEALTHY = Scenario(
    name="healthy",
    title="Nothing is wrong",
    text="Five pools do their usual work. Jobs wait for minutes at most, and no alert fires.",
    try_this="Ask for the figures with /queue status, and see what an ordinary day looks like.",
    true_cause="none",
    helps=False,
    affected=(),
    rule=ALL_QUEUES,
    pools=(LINUX, LINUX_LARGE, GPU, MACOS, WINDOWS),
)

SURGE = Scenario(
    name="surge",
    title="A big merge, and a slow autoscaler",
    text=(
        "A large merge has set off a burst of jobs for linux.2xlarge. The autoscaler is well below its limit, but it "
        "launches only three machines a minute, so the queue shrinks slowly by itself. The alert names no pool."
    ),
    try_this="Open the thread, press Scale up, add 20 runners, and watch the queue drain in about a minute.",
    true_cause="slow-scaling",
    helps=True,
    affected=("linux.2xlarge",),
    rule=ALL_QUEUES,
    pools=(replace(LINUX, creates_per_minute=3, bursts=(Burst(-24 * MINUTE, 190),)), LINUX_LARGE, GPU, MACOS, WINDOWS),
)

LIMIT_REACHED = Scenario(
    name="limit-reached",
    title="The pool has reached its limit",
    text=(
        "For hours linux.4xlarge has had more work than its limit allows. All 24 runners that the pool may have are "
        "busy with real work, and the autoscaler may not create another one."
    ),
    try_this="Press Scale up and go beyond the limit of 24: the limit is raised, and the queue drains.",
    true_cause="limit-reached",
    helps=True,
    affected=("linux.4xlarge",),
    rule=ONE_QUEUE,
    pools=(
        LINUX,
        replace(
            LINUX_LARGE,
            step=40,
            arrivals_per_minute=1.4,
            rates=(Rate(-225 * MINUTE, 2.1), Rate(HOUR, 1.6), Rate(8 * HOUR, 1.2)),
        ),
        GPU, MACOS,
    ),
)  # fmt: skip

STOCKOUT = Scenario(
    name="stockout",
    title="The cloud has no GPU machines left",
    text=(
        "Every request for another linux.g5.4xlarge machine is refused: InsufficientInstanceCapacity. The runners that "
        "exist go on working; the queue grows until the cloud has machines again, after about four minutes."
    ),
    try_this="Press Diagnose and look at the failed creates. Scale up cannot help here: try it, and see it say so.",
    true_cause="stockout",
    helps=False,
    affected=("linux.g5.4xlarge.nvidia.gpu",),
    rule=ONE_QUEUE,
    pools=(
        LINUX,
        LINUX_LARGE,
        replace(GPU, bursts=(Burst(-24 * MINUTE, 45),), rates=(Rate(-24 * MINUTE, 0.7), Rate(3 * HOUR, 0.4))),
        MACOS,
    ),
    faults=(
        FleetFault(
            FleetFaultKind.CREATES_REFUSED, -60 * MINUTE, 240 * MINUTE, GPU.name, code="InsufficientInstanceCapacity"
        ),
    ),
)

OFFLINE_HOSTS = Scenario(
    name="offline-hosts",
    title="Mac hosts have dropped out",
    text=(
        "14 of the 16 Mac hosts lost their connection within a moment: the machines are alive, their agents are not. "
        "Jobs for macos-m1-stable wait; the hosts come back after about three minutes."
    ),
    try_this="Press Diagnose: 14 hosts are offline. More machines would not serve these jobs.",
    true_cause="offline-hosts",
    helps=False,
    affected=("macos-m1-stable",),
    rule=ONE_QUEUE,
    pools=(LINUX, LINUX_LARGE, replace(MACOS, bursts=(Burst(-24 * MINUTE, 14),)), WINDOWS),
    faults=(FleetFault(FleetFaultKind.HOSTS_OFFLINE, -25 * MINUTE, 180 * MINUTE, MACOS.name, 14),),
)

PROVIDER_OUTAGE = Scenario(
    name="provider-outage",
    title="The CI provider assigns no jobs",
    text=(
        "Idle runners are there, but the CI provider gives them no jobs. Every pool queues at the same time, and there "
        "is nothing to repair on our side. After about two minutes the provider recovers."
    ),
    try_this="Press Diagnose: all pools rose together while runners idle. Waiting is the right answer.",
    true_cause="provider-outage",
    helps=False,
    affected=(LINUX.name, LINUX_LARGE.name, GPU.name, MACOS.name),
    rule=ALL_QUEUES,
    pools=(replace(LINUX, creates_per_minute=8), LINUX_LARGE, GPU, MACOS),
    faults=(FleetFault(FleetFaultKind.PROVIDER_OUTAGE, -24 * MINUTE, 90 * MINUTE),),
)

BUSY_WINDOWS = replace(
    WINDOWS,
    arrivals_per_minute=0.5,
    limit=28,
    ceiling=48,
    sources=tuple(replace(s, share=0.9 if s.workflow == "trunk" else 0.1, spread=0.2) for s in WINDOWS.sources),
)

SLOWER_JOBS = Scenario(
    name="slower-jobs",
    title="One kind of job became slow",
    text=(
        "Since a merge the tests of the workflow trunk take three times as long on windows.4xlarge. They still end, "
        "but all 28 runners that the pool may have are busy, although no more jobs arrive than on any other day."
    ),
    try_this="Press Diagnose: it names the job that became slow. More runners help until it is repaired.",
    true_cause="slower-jobs",
    helps=True,
    affected=("windows.4xlarge",),
    rule=ONE_QUEUE,
    pools=(LINUX, LINUX_LARGE, GPU, BUSY_WINDOWS),
    faults=(FleetFault(FleetFaultKind.JOBS_SLOWER, -150 * MINUTE, 300 * MINUTE, WINDOWS.name, 3, workflow="trunk"),),
)

HUNG_JOBS = Scenario(
    name="hung-jobs",
    title="Jobs hang and hold their runners",
    text=(
        "Tests of the workflow trunk hang on windows.4xlarge and do not end. They hold all runners, although no more "
        "jobs arrive than on any other day. After about two minutes somebody cancels them."
    ),
    try_this="Press Diagnose: it lists the jobs that run longest. Stopping them is the cure; more runners help little.",
    true_cause="hung-jobs",
    helps=False,
    affected=("windows.4xlarge",),
    rule=ONE_QUEUE,
    pools=(LINUX, LINUX_LARGE, GPU, BUSY_WINDOWS),
    faults=(FleetFault(FleetFaultKind.JOBS_HUNG, -90 * MINUTE, 120 * MINUTE, WINDOWS.name, workflow="trunk"),),
)

FULL_DISKS = Scenario(
    name="full-disks",
    title="Machines run out of disk",
    text=(
        "The disks of 22 of the 26 machines of windows.4xlarge are full, and jobs on them take four times as long. As "
        "many jobs arrive as ever. After about four minutes somebody cleans the disks."
    ),
    try_this="Press Diagnose: it counts the machines without disk. New machines have room, so Scale up helps.",
    true_cause="full-disks",
    helps=True,
    affected=("windows.4xlarge",),
    rule=ONE_QUEUE,
    pools=(LINUX, LINUX_LARGE, GPU, replace(BUSY_WINDOWS, arrivals_per_minute=0.55, minimum=26, limit=26)),
    faults=(FleetFault(FleetFaultKind.DISKS_FULL, -86 * MINUTE, 240 * MINUTE, WINDOWS.name, 4, machines=22),),
    signals=True,
)

EARLY_WARNING = Scenario(
    name="early-warning",
    title="A warning before the alert",
    text=(
        "More than twice as many jobs as usual come for linux.2xlarge, and it may not have more than 24 runners. No "
        "alert fires yet: that takes a job that has waited for half an hour. Tailback sees it coming, and warns half a "
        "minute before."
    ),
    try_this=(
        "When the warning stands, write /queue scale linux.2xlarge 54 and submit the dialog: the alert never fires, "
        "and the warning says that it passed. Or do nothing, and see the alert take the warning over."
    ),
    true_cause="surge",
    helps=True,
    affected=("linux.2xlarge",),
    rule=ONE_QUEUE,
    pools=(
        replace(
            LINUX,
            limit=24,
            creates_per_minute=6,
            spare=4,
            step=40,
            ephemeral=False,
            rates=(Rate(-25 * MINUTE, 5), Rate(HOUR, 2.1)),
        ),
        LINUX_LARGE, GPU, MACOS,
    ),
    warned=True,
)  # fmt: skip

SCENARIOS = {
    scenario.name: scenario
    for scenario in (
        *(SURGE, LIMIT_REACHED, STOCKOUT, OFFLINE_HOSTS, PROVIDER_OUTAGE, SLOWER_JOBS, HUNG_JOBS, FULL_DISKS),
        *(EARLY_WARNING, HEALTHY),
    )
}
