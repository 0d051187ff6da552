"""The alert source: what fires, what is sent in which shape, what is repeated, retried, silenced and resolved."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from bot.playground.fleet.alerting.alerts import Pace
from bot.playground.fleet.alerting.rules import QueueRule, breaches
from bot.playground.fleet.api.standin import FleetStandIn
from bot.playground.fleet.api.wire import fingerprint, read_time
from bot.playground.fleet.faults import FleetFault, FleetFaultKind
from bot.playground.fleet.figures import PoolFigures
from bot.playground.fleet.scenarios import ALL_QUEUES, HEALTHY, LIMIT_REACHED, ONE_QUEUE, SURGE, Scenario
from bot.playground.fleet.spec import Burst
from tests.playground.fleet_world import NOON, Receiver, client, small_pool, stand_in

MINUTE = 60.0
QUICK = Pace(group_wait_seconds=60, group_interval_seconds=300, repeat_interval_seconds=3600)


def two_outages(rule: QueueRule) -> Scenario:
    """Return a story in which nothing starts from minute 5 to 25 and from 60 to 80; 7 jobs wait in each pool.

    The second pool is troubled ten minutes later.
    """
    rule = replace(rule, minutes_limit=2)
    pools, gaps = [], []
    for name, later in (("first", 0), ("second", 10)):
        bursts = tuple(Burst((at + later) * MINUTE, 7) for at in (5, 60))
        pools.append(small_pool(name=name, minimum=10, bursts=bursts))
        gaps += [
            FleetFault(FleetFaultKind.PROVIDER_OUTAGE, (at + later - 1) * MINUTE, (at + later + 20) * MINUTE, name)
            for at in (5, 60)
        ]
    return replace(HEALTHY, rule=rule, pools=tuple(pools), faults=tuple(gaps))


async def silence(fleet: FleetStandIn, matcher: str, value: str, minutes: float, prefix: str = "/api/v2") -> str:
    body = {
        "matchers": [{"name": matcher, "value": value, "isRegex": False}],
        "startsAt": "2027-01-15T08:00:00Z",
        "endsAt": fleet_time(fleet.now() + minutes * 60),
        "createdBy": "U1",
        "comment": "looking into it",
    }
    async with client(fleet) as http:
        return str((await http.post(f"{prefix}/silences", json=body)).json()["silenceID"])


def fleet_time(at: float) -> str:
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%dT%H:%M:%SZ}"


def figures(queued: int, minutes: float) -> PoolFigures:
    zeros: dict[str, Any] = dict.fromkeys(PoolFigures.__slots__, 0)
    return PoolFigures(**(zeros | {"pool": f"p{queued}", "queued": queued, "oldest_wait_seconds": minutes * 60}))


BACKLOG = {"alertname": "CIQueueBacklog", "job": "ci", "severity": "critical", "team": "build-infra"}
OFFLINE = {"alertname": "CIRunnerOffline", "severity": "warning", "team": "flood"}


@pytest.mark.parametrize(
    ("labels", "known"),
    [
        (BACKLOG | {"queue": "linux-x64-large"}, "5663f757e2c2f955"),
        (BACKLOG | {"queue": "macos-arm64"}, "4cf51cfbf43ed55e"),
        (OFFLINE | {"runner": "runner-1"}, "43d8f5923dfaff9d"),
    ],
)
def test_fingerprints_are_those_of_alertmanager(labels: dict[str, str], known: str) -> None:
    """The same labels give the 16 digits that Alertmanager 0.25 was recorded with."""
    assert fingerprint(labels.items()) == known


def test_the_grafana_rule_has_two_independent_maxima_and_flags() -> None:
    """Size and age may belong to different pools; the thresholds are flags that say which limit was crossed."""
    (breach,) = breaches(ALL_QUEUES, [figures(14, 3), figures(6, 114)]).values()
    assert dict(breach.values) == {
        "max_queue_size": 14,
        "max_queue_time_mins": 114,
        "queue_size_threshold": 0,
        "queue_time_threshold": 1,
        "threshold_breached": 1,
    }
    assert not any("p14" in text or "p6" in text for _, text in (*breach.labels, *breach.annotations))


@pytest.mark.parametrize(
    ("queued", "minutes", "fires"), [(5, 900, False), (6, 31, True), (6, 30, False), (201, 1, True)]
)
def test_a_short_queue_is_no_row(queued: int, minutes: float, fires: bool) -> None:
    """Five waiting jobs or fewer are not seen, however long they wait; limits must be exceeded, not met."""
    for rule in (ALL_QUEUES, ONE_QUEUE):
        assert bool(breaches(rule, [figures(queued, minutes)])) == fires


async def test_the_surge_sends_the_alert_that_names_no_pool() -> None:
    """Grafana's shape, bearer token and path; uid in both links; simulated minutes in the values."""
    receiver = Receiver()
    fleet = stand_in(SURGE, receiver)
    fleet.external_url = "http://127.0.0.1:9100"
    await fleet.step(10)
    ((url, headers, body),) = receiver.got
    assert url == "http://tailback.test/alerts/grafana"
    assert headers["Authorization"] == "Bearer let-me-in"
    (alert,) = body["alerts"]
    assert (body["version"], body["orgId"], body["status"], body["state"]) == ("1", 1, "firing", "alerting")
    assert alert["labels"]["alertname"] == "Jobs are Queued - autoscaled-machines"
    assert (alert["annotations"]["Priority"], alert["annotations"]["Teams"]) == ("P2", "pytorch-dev-infra")
    assert alert["values"]["max_queue_time_mins"] == 32
    assert (alert["values"]["queue_size_threshold"], alert["values"]["queue_time_threshold"]) == (0, 1)
    assert "[ var='max_queue_time_mins' labels={} value=32 ]" in alert["valueString"]
    assert alert["generatorURL"] == "http://127.0.0.1:9100/alerting/grafana/dez2aomgvru2oe/view?orgId=1"
    assert "matcher=__alert_rule_uid__%3Ddez2aomgvru2oe" in alert["silenceURL"]
    assert alert["endsAt"] == "0001-01-01T00:00:00Z"
    assert NOON < read_time(alert["startsAt"]) <= NOON + 600
    assert (
        '{__grafana_receiver__="ci webhook"}:{alertname="Jobs are Queued - autoscaled-machines", ' in body["groupKey"]
    )
    assert alert["annotations"]["runbook_url"] == "http://127.0.0.1:9100/runbook"
    assert "linux.2xlarge" not in str(body)


async def test_a_single_pool_story_sends_the_alert_that_names_it() -> None:
    """Alertmanager's version 4, with `runner_label`; the fingerprint is computed from the labels."""
    receiver = Receiver()
    await stand_in(LIMIT_REACHED, receiver).step(10)
    ((url, headers, body),) = receiver.got
    assert url == "http://tailback.test/alerts/alertmanager"
    assert headers["User-Agent"].startswith("Alertmanager/")
    (alert,) = body["alerts"]
    assert (body["version"], body["groupKey"]) == ("4", '{}:{alertname="RunnerQueueTooLong"}')
    assert alert["labels"]["runner_label"] == "linux.4xlarge"
    assert alert["fingerprint"] == fingerprint(alert["labels"].items())
    assert body["commonLabels"] == alert["labels"]
    assert body["groupLabels"] == {"alertname": "RunnerQueueTooLong"}


async def test_a_group_grows_resolves_in_part_and_ends() -> None:
    """One webhook for a new member, one with a resolved member inside a firing payload, one when all is over."""
    receiver = Receiver()
    await stand_in(two_outages(ONE_QUEUE), receiver, QUICK).step(55)
    assert receiver.states == [
        [("first", "firing")],
        [("first", "firing"), ("second", "firing")],
        [("first", "resolved"), ("second", "firing")],
        [("second", "resolved")],
    ]
    statuses = [body["status"] for _, _, body in receiver.got]
    assert statuses == ["firing", "firing", "firing", "resolved"]
    over = receiver.got[-1][2]["alerts"][0]
    assert read_time(over["startsAt"]) < read_time(over["endsAt"])


async def test_a_new_firing_has_a_new_start_and_the_same_fingerprint() -> None:
    """The same trouble an hour later is the same alert that began again."""
    receiver = Receiver()
    await stand_in(two_outages(ALL_QUEUES), receiver, QUICK).step(75)
    first, *_, again = [body["alerts"][0] for _, _, body in receiver.got if body["status"] == "firing"]
    assert first["fingerprint"] == again["fingerprint"]
    assert first["startsAt"] < again["startsAt"]
    assert receiver.got[-2][2]["title"].startswith("[RESOLVED] Jobs are Queued")
    assert receiver.got[-2][2]["state"] == "ok"


async def test_what_goes_on_is_repeated_on_the_repeat_interval() -> None:
    """A firing alert is sent again, unchanged, after the repeat interval and not before."""
    receiver = Receiver()
    fleet = stand_in(LIMIT_REACHED, receiver, QUICK)
    await fleet.step(60)
    assert len(receiver.got) == 1
    await fleet.step(20)
    assert receiver.states == [[("linux.4xlarge", "firing")]] * 2


@pytest.mark.parametrize("failures", [[503], [500, None, 503]])
async def test_a_5xx_or_no_answer_is_tried_again_soon(failures: list[int | None]) -> None:
    """The receiver gets the same alert within minutes, and every attempt is remembered with its status."""
    receiver = Receiver(answers=[*failures])
    fleet = stand_in(SURGE, receiver)
    await fleet.step(16)
    assert [d.status for d in fleet.deliveries] == [*(f or 0 for f in failures), 200]
    assert fleet.deliveries[-1].at - fleet.deliveries[0].at <= 480
    assert len({body["alerts"][0]["startsAt"] for _, _, body in receiver.got}) == 1


async def test_a_4xx_is_not_tried_again_before_the_group_interval() -> None:
    """Alertmanager and Grafana do not repeat what was refused; the next flush tries again."""
    receiver = Receiver(answers=[429])
    fleet = stand_in(SURGE, receiver, QUICK)
    await fleet.step(20)
    first, second = fleet.deliveries
    assert (first.status, second.status) == (429, 200)
    assert second.at - first.at >= 300


async def test_a_silenced_alert_sends_nothing_the_resolved_one_included() -> None:
    """From the silence on there is no message, not even when the alert resolves; the other member goes on."""
    receiver = Receiver()
    fleet = stand_in(two_outages(ONE_QUEUE), receiver, QUICK)
    await fleet.step(12)
    await silence(fleet, "runner_label", "first", 40)
    await fleet.step(43)
    states = receiver.states
    assert states[0] == [("first", "firing")]
    assert states[1:] == [[("second", "firing")], [("second", "resolved")]]


async def test_after_a_silence_a_firing_alert_waits_for_the_repeat_interval() -> None:
    """As recorded with Alertmanager 0.25: the end of a silence alone sends nothing to who was told before."""
    receiver = Receiver()
    fleet = stand_in(LIMIT_REACHED, receiver, QUICK)
    await fleet.step(12)
    await silence(fleet, "runner_label", "linux.4xlarge", 10)
    await fleet.step(45)
    assert len(receiver.got) == 1
    await fleet.step(20)
    assert len(receiver.got) == 2


@pytest.mark.parametrize(("matcher", "silenced"), [("__alert_rule_uid__", True), ("alert_rule_uid", False)])
async def test_a_grafana_silence_by_rule_uid_needs_the_right_name(matcher: str, silenced: bool) -> None:
    """`__alert_rule_uid__` matches; without its underscores it is accepted and matches nothing."""
    receiver = Receiver()
    fleet = stand_in(SURGE, receiver, QUICK)
    await silence(fleet, matcher, "dez2aomgvru2oe", 600, prefix="/api/alertmanager/grafana/api/v2")
    await fleet.step(20)
    assert (receiver.got == []) == silenced


async def test_the_alert_api_shows_what_fires_and_who_silences_it() -> None:
    """`/api/v2/alerts` lists firing alerts with their state."""
    fleet = stand_in(LIMIT_REACHED, Receiver())
    await fleet.step(10)
    async with client(fleet) as http:
        (alert,) = (await http.get("/api/v2/alerts")).json()
        held = await silence(fleet, "runner_label", "linux.4xlarge", 60)
        (silenced,) = (await http.get("/api/v2/alerts")).json()
    assert alert["status"] == {"state": "active", "silencedBy": [], "inhibitedBy": [], "mutedBy": []}
    assert silenced["status"]["state"] == "suppressed"
    assert silenced["status"]["silencedBy"] == [held]
