"""The parent: what somebody just woken reads first."""

import re
from dataclasses import replace

import pytest

from bot.core.alert import Kind, SilentReason, Status
from bot.core.finding import Finding, Scaling
from bot.core.incident.details.details import Details
from bot.core.incident.details.events import PlainText
from bot.core.incident.details.requests import LeaseNoted, LeaseStep, SilenceStep, Silencing
from bot.core.incident.incident import Incident, Silence, State, noted
from bot.core.incident.observe import View
from bot.core.incident.pools import Peak
from bot.core.incident.queue_series import QueueSeries
from bot.core.incident.timeline import Event
from bot.core.message import Message
from bot.core.pool.pool import Gap, Pool, PoolRules, Snapshot
from bot.core.statement import statement
from bot.core.words import clock
from bot.views.blocks import digest_of
from bot.views.parent.heading import headline
from bot.views.parent.parent import parent
from bot.views.parent.pools import age_words, busy_words
from bot.views.parent.sections import links
from tests.builders import with_fields
from tests.slack_limits import message_problems, texts
from tests.views import samples
from tests.views.golden import assert_golden
from tests.views.samples import BEGAN, NOW, TIMING, incident, words

STOCKOUT = Finding(
    "stockout", 0.8, (statement("limit_was", limit=50),), Scaling.NO, "wait_or_change_type", "linux.2xlarge"
)
ONE = samples.incident(candidates=("linux",), affected=("linux",))


def draw(of: Incident, seen: View, now: float = NOW) -> Message:
    drawn = parent(of, seen, samples.offers(of), now, TIMING)
    assert message_problems(drawn) == []
    return drawn


def heading(drawn: Message) -> str:
    return next(iter(texts(drawn.blocks[0])))


def cases() -> dict[str, tuple[Incident, View]]:
    """Every stage of an incident, by the name of its golden file."""
    two = ("linux.2xlarge", "linux.large")
    queueing, seen = samples.queueing()
    eased = with_fields(queueing, state=State.EASING, alerts=(samples.alert(status=Status.RESOLVED),))
    blind = samples.incident(
        title="DatasourceNoData", kind=Kind.BLIND, alerts=(samples.alert(kind=Kind.BLIND, values={}),)
    )
    by_hand = samples.incident(affected=two, candidates=two, state=State.RESOLVED, closed_at=NOW, changed_at=NOW)
    by_hand = noted(by_hand, NOW, Event.RESOLVED_BY_HAND, PlainText("closed this incident."), who="U0ALEX")
    calm = tuple(Pool(name, (samples.sample(name, 0, None, busy=3, idle=5),)) for name in two)
    failing = tuple(Pool(name, (), "Prometheus: connection refused", NOW) for name in two)
    stale = tuple(
        Pool(name, (samples.sample(name, at=NOW - 720),), "Prometheus: connection refused", NOW) for name in two
    )
    doomed = replace(seen, causes={"linux.2xlarge": STOCKOUT})
    return {
        "parent_verdict": (queueing, doomed),
        "parent_measuring": (samples.incident(candidates=two), samples.view(names=two)),
        "parent_queueing": (queueing, seen),
        "parent_worked_on": samples.worked_on(),
        "parent_easing": (eased, seen),
        "parent_drained": (samples.closed(), View()),
        "parent_resolved_by_hand": (by_hand, View()),
        "parent_nothing_queued": (samples.incident(candidates=two), samples.view(*calm)),
        "parent_unreadable": (samples.incident(candidates=two), samples.view(*failing)),
        "parent_stale": (samples.incident(candidates=two, affected=two), samples.view(*stale)),
        "parent_no_pool": (samples.incident(), View()),
        "parent_unknown_pool": (samples.incident(unknown_pools=("linux.new",)), View()),
        "parent_blind": (blind, View()),
        "parent_plain": (replace(queueing, thread=replace(queueing.thread, plain=True)), seen),
        "parent_fallback": (replace(queueing, thread=replace(queueing.thread, instead_of="C0OLD")), seen),
    }


@pytest.mark.parametrize("name", cases())
def test_the_parent_is_drawn_as_its_golden_file_says(name: str) -> None:
    of, seen = cases()[name]
    assert_golden(name, draw(of, seen))


def rows_of(drawn: Message) -> list[list[str]]:
    (table,) = [block for block in drawn.blocks if block["type"] == "table"]
    rows = table["rows"]
    assert isinstance(rows, list)
    return [["".join(texts(cell)) for cell in row] for row in rows]


def test_several_unknown_pools_and_alerts_that_are_not_shown_are_told_in_the_plural() -> None:
    two = samples.incident(unknown_pools=("linux.new", "linux.newer"))
    drawn = words(draw(with_fields(two, alerts=two.group.alerts * 2, truncated=10), View()))
    assert "names linux.new and linux.newer, which are not configured. Their queues are not measured." in drawn
    assert "2 of 2 alerts firing. 10 more not shown." in drawn


def test_a_line_leaves_unknown_runners_out_and_gives_a_known_reason() -> None:
    for missing in ((), (Gap("idle", "no such series"),)):
        seen = replace(samples.sample("linux"), idle=None, offline=None, missing=missing)
        drawn = words(draw(ONE, samples.view(samples.grown(seen))))
        assert "idle and offline unknown" not in drawn
        assert ("linux: idle: no such series." in drawn) is bool(missing)
        assert "no such figure" not in drawn
        assert "? =" not in drawn


@pytest.mark.parametrize(("cause", "linked"), [("provider", True), ("unassigned", True), ("limit", False)])
def test_the_status_page_is_linked_where_only_the_provider_can_help(cause: str, linked: bool) -> None:
    page = "https://status.example/now"
    seen = samples.view(samples.grown(samples.sample("linux")))
    rules = {"linux": replace(seen.rules.get("linux", PoolRules("linux")), status_url=page)}
    found = Finding(cause, 0.8, (), Scaling.NO, "wait_for_provider", "linux")
    for given in (rules, {}):
        drawn = draw(ONE, replace(seen, rules=given, causes={"linux": found}))
        assert (f"<{page}|" in str(drawn.blocks[1])) is (linked and given is rules)


def test_the_only_pool_without_figures_says_why() -> None:
    silent = replace(samples.view(names=("linux",)), pools={"linux": Pool("linux", trouble="Prometheus: HTTP 500")})
    drawn = words(draw(ONE, silent))
    assert "*linux:* no figures. Reason: Prometheus: HTTP 500." in drawn


@pytest.mark.parametrize(("label", "instead"), [("linux.new", True), ("linux", False)])
def test_only_pools_that_no_alert_names_are_measured_instead(label: str, instead: bool) -> None:
    alerts = (samples.alert(labels={"runner_label": "linux.new"}), samples.alert(labels={"runner_label": label}))
    made = samples.incident(*alerts, candidates=("linux",), unknown_pools=("linux.new",))
    drawn = words(draw(made, samples.view(samples.grown(samples.sample("linux")))))
    assert "Its queue is not measured." in drawn
    assert ("Measured instead: 1 configured pool." in drawn) is instead


@pytest.mark.parametrize("queued", [0, 14, None])
@pytest.mark.parametrize("unknown", [("linux.new",), ("linux.new", "mac")])
def test_the_header_names_the_pool_of_the_alert_that_nobody_measures(
    unknown: tuple[str, ...], queued: int | None
) -> None:
    """Pools that are measured instead may be calm, or have another trouble."""
    for values in ({}, samples.READINGS):
        made = samples.incident(samples.alert(values=values), candidates=("linux",), unknown_pools=unknown)
        first = heading(draw(made, samples.view(samples.grown(samples.sample("linux", queued)))))
        assert "linux.new" in first
        assert "not measured" in first or (values and not queued)
        assert "nothing queued" not in first


@pytest.mark.parametrize(("firing", "ending"), [(True, "alert still firing"), (False, "alert resolved")])
def test_a_header_without_a_queue_says_what_the_alert_does(firing: bool, ending: str) -> None:
    alerts = (samples.alert(values={}, status=Status.FIRING if firing else Status.RESOLVED),)
    silent = replace(samples.view(names=("linux",)), pools={"linux": Pool("linux", trouble="HTTP 500")})
    for known, pools in ((silent, {"affected": ("linux",)}), (View(), {}), (View(), {"unknown_pools": ("linux",)})):
        assert heading(draw(samples.incident(*alerts, candidates=tuple(known.pools), **pools), known)).endswith(ending)


def test_an_alert_without_data_does_not_hide_a_queue_that_is_measured() -> None:
    """Grafana's rule had no data, and the first message said so of the queue, above its forecast."""
    pool = samples.grown(samples.sample("linux"))
    blind = samples.incident(candidates=("linux",), affected=("linux",), kind=Kind.BLIND)
    assert draw(blind, samples.view(pool)).text.startswith("🔴 OPEN · P2 · linux: 14 jobs queued")
    assert "no data from the metrics source" in draw(blind, View()).text


def test_one_pool_takes_one_line() -> None:
    pool = samples.grown(samples.sample("linux"))
    drawn = draw(ONE, samples.view(pool))
    assert "table" not in [block["type"] for block in drawn.blocks]
    assert "*linux:* 40 of 40 online runners busy (limit 40), 2 offline, queue rising" in words(drawn)


@pytest.mark.parametrize(
    ("sample", "sentence"),
    [
        (Snapshot("linux", 0.0, busy=12, idle=0, limit=40), "12 of 12 online runners busy (limit 40)"),
        (Snapshot("linux", 0.0, busy=0, idle=1), "0 of 1 online runner busy"),
        (Snapshot("linux", 0.0, busy=0, idle=0, limit=40), "no runner online (limit 40)"),
        (Snapshot("linux", 0.0, busy=1, limit=40), "1 runner busy (limit 40)"),
        (Snapshot("linux", 0.0, limit=40), "busy runners unknown"),
    ],
)
def test_busy_runners_are_counted_among_those_online_not_among_those_the_limit_allows(
    sample: Snapshot, sentence: str
) -> None:
    assert busy_words(sample) == sentence


@pytest.mark.parametrize("names", [("linux",), ("linux", "arm")])
def test_a_queue_that_is_counted_up_to_the_limit_is_told_as_the_least(names: tuple[str, ...]) -> None:
    full = [replace(samples.sample(name, 4, None), busy=36, limit=40) for name in names]
    seen = samples.view(*(Pool(one.pool, samples=(one,)) for one in full))
    seen = replace(seen, rules={name: replace(rules, counts_assigned=True) for name, rules in seen.rules.items()})
    drawn = draw(samples.incident(candidates=names, affected=names), seen)
    assert f"{min(names)}: at least 4 jobs queued" in words(drawn)
    assert "+ = more may wait. At the limit, further jobs wait at GitHub" in words(drawn)
    if len(names) > 1:
        assert [row[1] for row in rows_of(drawn)] == ["Queued", "4+", "4+"]


@pytest.mark.parametrize(("queued", "sentence"), [(2, "linux: at least 2 jobs queued"), (0, "(alert values)")])
def test_a_full_pool_whose_source_sees_no_further_jobs_is_not_called_calm(queued: int, sentence: str) -> None:
    full = replace(samples.sample("linux", queued, None), busy=40 - queued, limit=40)
    rules = {"linux": PoolRules("linux", floor=3, counts_assigned=True)}
    drawn = words(draw(ONE, replace(samples.view(Pool("linux", samples=(full,))), rules=rules)))
    assert sentence in drawn
    assert "normal" not in drawn
    assert "othing queued" not in drawn


@pytest.mark.parametrize("queued", [0, None])
def test_a_queue_that_is_empty_or_unknown_has_no_trend(queued: int | None) -> None:
    grown = samples.grown(samples.sample("linux"))
    latest = samples.sample("linux", queued, None)
    drawn = draw(ONE, samples.view(replace(grown, samples=(*grown.samples, latest))))
    assert "online runners busy" in words(drawn)
    assert not re.search("queue (rising|falling|steady)", words(drawn))


@pytest.mark.parametrize("silent", [True, False])
def test_a_queue_that_was_known_is_unknown_since_then_and_the_alert_is_older(silent: bool) -> None:
    """The source went silent over an empty queue, or it no longer tells the queue's length."""
    last = [] if silent else [samples.sample("linux", None, None)]
    pool = Pool("linux", (samples.sample("linux", 0, None, at=NOW - 720), *last))
    since = f"queue length unknown since {clock(NOW - 720)} UTC, alert still firing"
    assert heading(draw(replace(ONE, opened_at=NOW - 800), samples.view(pool))).endswith(f"linux: {since}")
    assert heading(draw(replace(ONE, opened_at=NOW - 600), samples.view(pool))).endswith("(alert values)")


def test_a_reason_for_several_figures_is_said_once_and_not_for_those_that_are_not_shown() -> None:
    gaps = tuple(Gap(figure, "no answer") for figure in ("queued", "busy", "rates", "creates"))
    pool = Pool("linux", (replace(samples.sample("linux", None, None), missing=gaps),))
    drawn = words(draw(ONE, samples.view(pool)))
    assert "linux: queued and busy: no answer." in drawn


@pytest.mark.parametrize(("seconds", "age"), [(4, "under 1 min ago"), (59, "under 1 min ago"), (61, "over 1 min ago")])
def test_a_source_that_is_read_every_second_is_stale_for_less_than_a_minute_too(seconds: float, age: str) -> None:
    assert age_words(seconds) == age


def test_the_rendering_does_not_change_while_nothing_is_news() -> None:
    of, seen = samples.worked_on()
    later = View({name: replace(pool, tried_at=NOW) for name, pool in seen.pools.items()}, seen.rules)
    of = replace(of, thread=replace(of.thread, root=f"{int(BEGAN) + 6}.000100"))
    assert digest_of(draw(of, seen)) == digest_of(draw(of, later, NOW + 25))


def test_heading_and_peaks_of_a_closed_incident_begin_with_the_same_pool() -> None:
    of = with_fields(samples.closed(), affected=("a", "b"), peaks={"a": Peak(9, 6715.0), "b": Peak(90, 6690.0)})
    drawn = draw(of, View())
    assert heading(drawn).startswith("🟢 DRAINED · P2 · b +1 pool: ")
    assert "Peak: b 90 jobs queued" in words(drawn)


def test_a_closed_incident_is_drawn_from_its_record_alone() -> None:
    of = samples.closed()
    drawn = draw(of, View())
    assert drawn == draw(of, samples.queueing()[1], NOW + 90_000)
    assert heading(drawn).startswith("🟢 DRAINED · P2 · linux.2xlarge")
    assert "Peak: linux.2xlarge 14 jobs queued, longest wait 1 h 54 min" in words(drawn)
    assert all(block["type"] != "actions" for block in drawn.blocks)
    without_wait = with_fields(of, peaks={"linux.2xlarge": Peak(9)})
    assert "Peak: linux.2xlarge 9 jobs queued." in words(draw(without_wait, View()))


def test_a_click_shows_in_the_parent_with_who_and_when() -> None:
    of, seen = samples.worked_on()
    silence = Silence("s1", "grafana", NOW + 3600, "U0SAM", "inc_1.x")
    text = words(draw(with_fields(of, silences=(silence,), muted=True), seen))
    assert "Acknowledged by <@U0ALEX> <!date^" in text
    assert "• <@U0ALEX> set linux.2xlarge from 40 to 50 runners." in text
    assert "by <@U0SAM>." in text
    assert "Updates in the thread are muted" in text
    assert "subteam" not in text
    gone = (Silence("a", "g", NOW - 1, "U1", "x"), Silence("b", "g", NOW + 60, "U1", "y", ended=True))
    assert "Silenced until" not in words(draw(replace(of, silences=gone), seen))


@pytest.mark.parametrize(
    ("soon", "later"),
    [
        (Silencing(SilenceStep.ENDS_SOON, 600.0), Silencing(SilenceStep.EXTENDED, 600.0)),
        (
            LeaseNoted(LeaseStep.ENDS_SOON, "linux.2xlarge", 50, 600.0),
            LeaseNoted(LeaseStep.EXTENDED, "linux.2xlarge", 50),
        ),
    ],
)
def test_what_ends_soon_stands_in_the_thread_alone(soon: Details, later: Details) -> None:
    """The first message may be read when it has long ended."""
    of, seen = samples.queueing()
    parents = [draw(noted(of, NOW, Event.NOTED, details), seen) for details in (soon, later)]
    assert ["ends in" in words(one) or "returned in" in words(one) for one in parents] == [False, False]
    assert words(parents[0]) == words(draw(of, seen)) != words(parents[1])


def test_many_pools_are_counted_where_they_are_not_shown() -> None:
    names = tuple(f"pool-{n}" for n in range(60))
    pools = [Pool(name, (samples.sample(name, n + 1),)) for n, name in enumerate(names)]
    drawn = draw(samples.incident(candidates=names, affected=names), samples.view(*pools))
    assert len(rows_of(drawn)) == 13
    assert "+ 48 more pools: 1,176 jobs queued" in words(drawn)
    failing = [Pool(name, (), "HTTP 500", NOW) for name in names]
    worst = samples.grown(samples.sample(names[0]))
    one = draw(samples.incident(candidates=names, affected=names[:1]), samples.view(worst, *failing[1:]))
    assert "table" not in [block["type"] for block in one.blocks]
    assert "Queue unknown in 59 other pools." in words(one)
    calm = [Pool(name, (samples.sample(name, 0),)) for name in names[4:]]
    partly = draw(samples.incident(candidates=names), samples.view(*failing[:4], *calm))
    assert "nothing queued in 56 of 60 pools" in heading(partly)
    assert "No queue in 56 measured pools. Queue unknown in 4 other pools.\n" in words(partly)
    none = draw(samples.incident(candidates=names), samples.view(*failing))
    assert "? = unknown, which is not zero" in words(none)
    assert "othing queued" not in heading(none)


def test_a_late_thread_says_how_late() -> None:
    """Delay is shown, never silent (P8)."""
    of = samples.incident(candidates=("a",))
    late = replace(of, thread=replace(of.thread, root=f"{int(of.opened_at) + 245}.000100"))
    assert "This thread opened 4 min after the alert arrived." in words(draw(late, samples.view(names=("a",))))
    assert "This thread opened" not in words(draw(of, View(), of.opened_at + 2))


def test_a_request_gives_way_to_what_came_of_it() -> None:
    details = PlainText("asked to silence the alert for 1 h.")
    requested = noted(samples.incident(), NOW, Event.REQUESTED, details, who="U1", tell=False, request="a1")
    assert "asked to silence" in words(draw(requested, View()))
    answered = replace(requested, log=requested.log.answered("a1"))
    done = noted(answered, NOW + 1, Event.SILENCED, PlainText("silenced the alert for 1 h."), who="U1")
    assert "asked to silence" not in words(draw(done, View()))
    assert "<@U1> silenced the alert for 1 h." in words(draw(done, View()))
    other = replace(requested, log=requested.log.answered("a2"))
    assert "asked to silence" in words(draw(other, View()))


@pytest.mark.parametrize("state", State)
@pytest.mark.parametrize("pools", [0, 1, 3, 40])
@pytest.mark.parametrize(
    "name",
    ["linux.2xlarge", "n" * 300, "\u05e9\u05dc\u05d5\u05dd " * 60, samples.HOSTILE, "a&b_c*d <e>|`f`" * 20],
    ids=["plain", "300 characters", "right to left", "hostile", "markup"],
)
@pytest.mark.parametrize("figures", ["known", "unknown", "none", "huge"])
def test_the_push_text_is_short_begins_like_the_header_and_offers_nothing(
    state: State, pools: int, name: str, figures: str
) -> None:
    names = tuple(f"{name}{n}" for n in range(pools))
    queued, wait = {"known": (14, 6840.0), "unknown": (None, None), "none": (0, None), "huge": (10**9, 9e8)}[figures]
    made = [Pool(one, (samples.sample(one, queued, wait),)) for one in names]
    alerts = () if figures == "known" else (samples.alert(name=name, values={}, priority=name),)
    of = samples.incident(*alerts, candidates=names, affected=names[:3], title=name, state=state)
    over = with_fields(of, closed_at=NOW) if state in {State.DRAINED, State.RESOLVED} else of
    drawn = draw(over, samples.view(*made))
    assert len(drawn.text) <= 120
    assert drawn.text.startswith(heading(drawn))
    assert state.value.upper() in drawn.text
    assert not any(offer.label in drawn.text for offer in samples.offers(of))


def test_a_runbook_that_an_issue_names_shows_where_it_leads() -> None:
    by_grafana = incident()
    by_issue = replace(by_grafana, group=replace(by_grafana.group, source="github_issue"))
    assert "|Runbook>" in (links(by_grafana) or "")
    assert "|Runbook (hud.example.org)>" in (links(by_issue) or "")


@pytest.mark.parametrize(
    ("firing", "sentence"), [((True, True), "2 of 2 alerts firing."), ((True, False), "1 of 2 alerts firing.")]
)
def test_how_many_alerts_fire_is_kept_true(firing: tuple[bool, ...], sentence: str) -> None:
    alerts = [
        samples.alert(fingerprint=f"a{n}", status=Status.FIRING if one else Status.RESOLVED)
        for n, one in enumerate(firing)
    ]
    several = samples.incident(*alerts)
    assert sentence in words(draw(several, View()))
    assert "firing." not in words(draw(samples.incident(), View()))
    assert digest_of(draw(several, View())) != digest_of(draw(samples.incident(*alerts[:1]), View()))


@pytest.mark.parametrize(
    ("pools", "ending"), [(("a", "b"), "queue not measured in 1 of 2 pools"), (("b",), "queue not measured")]
)
def test_an_end_says_in_how_many_pools_the_queue_was_not_measured(pools: tuple[str, ...], ending: str) -> None:
    """Only `a` was measured."""
    courses = {name: QueueSeries(60.0) for name in pools if name == "a"}
    over = samples.incident(candidates=pools, affected=pools, state=State.RESOLVED, courses=courses)
    assert headline(over, samples.view(), NOW, TIMING).endswith(ending)


def test_a_source_that_went_silent_saw_no_recovery() -> None:
    ended = samples.alert(status=Status.RESOLVED, silent=SilentReason.PAUSED)
    over = samples.incident(ended, state=State.RESOLVED)
    assert ": alert source silent after " in headline(over, samples.view(), NOW, TIMING)


def test_an_alert_whose_rule_fails_is_no_lack_of_data() -> None:
    failing = samples.alert(kind=Kind.BLIND, values={}, rule_error="unknown column <queue>")
    of = samples.incident(failing, kind=Kind.BLIND)
    drawn = parent(of, samples.view(), samples.offers(of), NOW, TIMING)
    assert drawn.text.endswith("its rule fails · not acknowledged")
    assert "unknown column &lt;queue&gt;" in samples.words(drawn)
    assert "no data" not in samples.words(drawn)
