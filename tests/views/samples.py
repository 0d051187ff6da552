"""Small values to draw: the mission's alert, its pools, and what a hostile sender makes of them."""

from dataclasses import replace

from bot.core.alert import Alert, Delivery, Kind, Links, Status
from bot.core.incident.details.events import PlainText
from bot.core.incident.incident import Incident, State, Thread, noted, opened
from bot.core.incident.observe import Timing, View
from bot.core.incident.pools import Peak
from bot.core.incident.timeline import Event
from bot.core.message import Message
from bot.core.pool.pool import Gap, Job, Pool, PoolRules, Snapshot
from bot.core.requests.interaction import Offer, Place, request_id
from bot.core.routing import Named
from tests.builders import with_fields
from tests.slack_limits import texts

BEGAN = 1_764_555_780.0
"""2025-12-01 02:23 UTC."""
NOW = BEGAN + 600.0
TIMING = Timing()

HOSTILE = (
    "<!channel> <@U1> <!subteam^S1> @here #general & < > `code` ```fence``` *b* _i_ ~s~ "
    "https://evil.example <https://evil.example|Runbook> "
    "\u202eesrever \u05e9\u05dc\u05d5\u05dd 🔥👩‍🚒 \x00\x1b[31m\n> quote &amp; \ud800\u2028\x85\u2029"
)

READINGS = {
    "max_queue_size": 14.0,
    "max_queue_time_mins": 114.0,
    "queue_size_threshold": 0.0,
    "queue_time_threshold": 1.0,
    "threshold_breached": 1.0,
}


def alert(**changes: object) -> Alert:
    """The mission's alert: it names no pool, and its two maxima may belong to different pools."""
    links = Links(
        runbook="https://hud.example.org/metrics",
        dashboard="https://grafana.example.org/d/queue?orgId=1",
        alert="https://grafana.example.org/alerting/grafana/dez2aomgvru2oe/view?orgId=1",
        silence="https://grafana.example.org/alerting/silence/new?alertmanager=grafana&matcher=a%3Db",
    )
    made = Alert(
        fingerprint="f1",
        status=Status.FIRING,
        name="Jobs are Queued - autoscaled-machines",
        labels={"alertname": "Jobs are Queued - autoscaled-machines", "type": "alerting-infra"},
        starts_at=BEGAN,
        values=READINGS,
        links=links,
        rule_uid="dez2aomgvru2oe",
        priority="P2",
        teams=("pytorch-dev-infra",),
    )
    return replace(made, **changes)  # type: ignore[arg-type]  # field names are checked by the dataclass itself


def incident(
    *alerts: Alert, candidates: tuple[str, ...] = (), affected: tuple[str, ...] = (), **changes: object
) -> Incident:
    delivery = Delivery("grafana", "ci", "{}/{}", "Jobs are Queued - autoscaled-machines", alerts or (alert(),))
    made = opened("inc_1", delivery, BEGAN + 5, Thread("C0CI", mention="S0ONCALL"), Named(candidates, affected))
    return with_fields(made, **changes)


def sample(pool: str, queued: int | None = 14, wait: float | None = 6840.0, **changes: object) -> Snapshot:
    made = Snapshot(pool, NOW - 10, queued, wait, busy=40, idle=0, offline=2, limit=40)
    return replace(made, **changes)  # type: ignore[arg-type]  # field names are checked by the dataclass itself


def grown(last: Snapshot, by: int = 6) -> Pool:
    first = replace(last, at=last.at - 300, queued=max(0, (last.queued or 0) - by))
    return Pool(last.pool, (first, last), tried_at=last.at)


def view(*pools: Pool, names: tuple[str, ...] = ()) -> View:
    """What is known of the pools; `names` are configured and not measured yet."""
    every = (*(pool.id for pool in pools), *names)
    return View({pool.id: pool for pool in pools}, {name: PoolRules(name) for name in every})


def jobs(name: str = "linux-jammy-py3.10-gcc11 / test (default, 1, 5)") -> tuple[Job, ...]:
    return tuple(
        Job(name, 6840.0 - 240 * n, "pytorch/pytorch", f"https://github.com/pytorch/pytorch/actions/runs/{n}")
        for n in range(3)
    )


def offers(of: Incident) -> tuple[Offer, ...]:
    return (
        Offer("ack", "Acknowledge", request_id(of, "ack"), primary=True),
        Offer("silence", "Silence", request_id(of, "silence")),
        Offer("scale_up", "Scale up", request_id(of, "scale_up")),
        Offer("diagnose", "Diagnose", request_id(of, "diagnose")),
        Offer("resolve", "Close incident", request_id(of, "resolve"), Place.MENU),
        Offer("show_more", "More…", request_id(of, "show_more"), Place.MENU),
        Offer("mute", "Mute updates", request_id(of, "mute"), Place.MORE),
    )


def queueing() -> tuple[Incident, View]:
    """The mission's case once it has been measured: two of five pools queue, one cannot be measured fully."""
    worst = grown(sample("linux.2xlarge", waiting=jobs()))
    second = grown(
        sample(
            "linux.g5.4xlarge.nvidia.gpu",
            3,
            1260.0,
            idle=None,
            offline=None,
            missing=(Gap("offline", "no such series"),),
        ),
        0,
    )
    calm = [Pool(n, (sample(n, 0, None, busy=4, idle=6),)) for n in ("linux.large", "linux.4xlarge", "windows.4xlarge")]
    pools = (worst, second, *calm)
    names = tuple(pool.id for pool in pools)
    made = incident(
        candidates=names,
        affected=("linux.2xlarge", "linux.g5.4xlarge.nvidia.gpu"),
        peaks={"linux.2xlarge": Peak(14, 6840.0), "linux.g5.4xlarge.nvidia.gpu": Peak(9, 1260.0)},
    )
    return made, view(*pools)


def worked_on() -> tuple[Incident, View]:
    made, seen = queueing()
    made = with_fields(made, owner="U0ALEX", acked_at=NOW - 300)
    made = noted(made, NOW - 200, Event.SCALED, PlainText("set linux.2xlarge from 40 to 50 runners."), who="U0ALEX")
    return noted(made, NOW - 100, Event.SILENCED, PlainText("silenced this alert for 1 h."), who="U0SAM"), seen


def closed() -> Incident:
    made, _ = worked_on()
    end = NOW + 3600
    over = replace(made, state=State.DRAINED, closed_at=end, changed_at=end)
    return noted(
        over, end, Event.DRAINED, PlainText("Drained: linux.2xlarge at or under the floor for 3 samples in a row.")
    )


def hostile_incident() -> tuple[Incident, View]:
    """Every text that comes from outside is an attack, or 50 kB long, or both; 60 pools."""
    big = HOSTILE + "x" * 50_000
    names = tuple(f"{HOSTILE}{n}" for n in range(60))
    bad = jobs(HOSTILE + "j" * 3000)
    pools = tuple(
        Pool(n, (sample(n, 100_000 + i, 9e6, waiting=bad, missing=(Gap(big, big, big),), idle=None),), trouble=big)
        for i, n in enumerate(names)
    )
    links = Links(
        runbook=f"https://e.example/?a=<!channel>|{HOSTILE}",
        dashboard="javascript:alert(1)",
        alert="https://e.example/" + "a" * 5000,
        silence="https://e.example/>",
    )
    bad_alert = alert(name=big, summary=big, description=big, teams=(HOSTILE, big), priority=HOSTILE, labels={"a": big})
    bad_alert = replace(bad_alert, values={}, links=links)
    alerts = tuple(replace(bad_alert, fingerprint=str(n)) for n in range(50))
    made = incident(*alerts, candidates=names, affected=names[:50], title=big, kind=Kind.QUEUE)
    made = with_fields(made, truncated=150, unknown_pools=names, owner=HOSTILE, acked_at=NOW, deliveries=5000)
    made = replace(made, thread=replace(made.thread, mention=HOSTILE, instead_of=HOSTILE))
    for _ in range(9):
        made = noted(made, NOW, Event.SCALED, PlainText(big, (big,) * 40), who=HOSTILE)
    return with_fields(made, peaks={n: Peak(10**9, 1e9) for n in names}), view(*pools)


def words(drawn: Message) -> str:
    return "\n".join(texts(drawn.blocks))
