"""The parent: what somebody just woken reads first."""

import json
from dataclasses import replace

import pytest

from bot.core.alert import Kind, Status
from bot.core.incident.correlate import Maxima
from bot.core.incident.details.general import PlainText
from bot.core.incident.incident import Incident, Silence, State, noted
from bot.core.incident.observe import View
from bot.core.incident.timeline import Event
from bot.core.message import Message
from bot.core.pool.pool import Peak, Pool
from bot.core.requests.offer import Offer, Place
from bot.views.blocks import digest_of
from bot.views.parent.parent import parent
from tests.builders import with_fields
from tests.slack_limits import message_problems, texts
from tests.views import samples
from tests.views.golden import assert_golden
from tests.views.samples import BEGAN, NOW, TIMING


def draw(of: Incident, seen: View, now: float = NOW) -> Message:
    """The parent with all its buttons."""
    drawn = parent(of, seen, samples.offers(of), now, TIMING)
    assert message_problems(drawn) == []
    return drawn


def words(drawn: Message) -> str:
    """Everything that is read in the blocks."""
    return "\n".join(texts(drawn.blocks))


def heading(drawn: Message) -> str:
    """The header's text."""
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
    by_hand = noted(by_hand, NOW, Event.RESOLVED_BY_HAND, PlainText("closed this incident by hand."), who="U0ALEX")
    calm = tuple(Pool(name, (samples.sample(name, 0, None, busy=3, idle=5),)) for name in two)
    failing = tuple(Pool(name, (), "Prometheus: connection refused", NOW) for name in two)
    stale = tuple(
        Pool(name, (samples.sample(name, at=NOW - 720),), "Prometheus: connection refused", NOW) for name in two
    )
    return {
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
    """Every stage of an incident, word for word."""
    of, seen = cases()[name]
    assert_golden(name, draw(of, seen))


def test_the_heading_has_state_priority_worst_pool_depth_and_wait() -> None:
    """The first block starts with the facts, since desktop notifications take their text from it."""
    drawn = draw(*samples.queueing())
    expected = "OPEN · P2 · linux.2xlarge: 14 jobs queued, oldest waits 1 h 54 min; 1 more pool with 3 jobs"
    assert heading(drawn) == expected
    assert drawn.text.startswith(expected)


def test_the_text_alone_says_what_to_do() -> None:
    """Screen readers and phones get state, pools, alert, owner and the buttons by name."""
    text = draw(*samples.queueing()).text
    for part in ("Jobs are Queued", "UTC", "Nobody has acknowledged", "Acknowledge, Silence, Scale up, Diagnose"):
        assert part in text


def test_the_table_has_worst_pools_first_and_at_most_72_columns() -> None:
    """It does not wrap in a thread pane, and unknown is a question mark with its reason."""
    said = words(draw(*samples.queueing()))
    table = said.split("```")[1].strip().splitlines()
    assert [line.split()[0] for line in table] == ["pool", "linux.2xlarge", "linux.g5.4xlarge.nvidia.gpu"]
    assert max(len(line) for line in table) <= 72
    assert table[2].split()[1:] == ["3", "21m", "40", "?", "?", "40", "steady"]
    assert "? = unknown, which is not zero. linux.g5.4xlarge.nvidia.gpu: offline: no such series." in said


def test_pools_that_do_not_queue_take_one_line() -> None:
    """They are counted, not listed."""
    said = words(draw(*samples.queueing()))
    assert "3 other pools: nothing queued." in said
    assert "windows.4xlarge" not in said


def test_the_flags_of_the_missions_alert_are_never_printed_as_limits() -> None:
    """The two maxima may be of different pools; 0 and 1 are booleans (docs/design/diagnosis.md#reading-the-alert)."""
    said = words(draw(*samples.queueing()))
    assert "a longest queue of 14 jobs and a longest wait of 1 h 54 min, possibly in different pools" in said
    assert "The wait is over its limit, the queue length is not." in said
    assert "It names no pool, so all 5 configured pools are measured." in said
    assert "threshold" not in said


@pytest.mark.parametrize(
    ("queue", "wait", "said"),
    [
        ("a", "b", "a longest queue of 14 jobs in a and a longest wait of 1 h 54 min in b."),
        ("a", "a", "a longest queue of 14 jobs and a longest wait of 1 h 54 min, both seen in a."),
        (None, "b", "14 jobs and a longest wait of 1 h 54 min in b, possibly in different pools."),
        (None, None, "and a longest wait of 1 h 54 min; no configured pool shows such figures."),
    ],
)
def test_the_pools_that_hold_the_reported_maxima_are_named(queue: str | None, wait: str | None, said: str) -> None:
    """Each maximum has its pool where one shows it; that none does is said too."""
    incident, seen = samples.queueing()
    found = Maxima(14, 114, incident.opened_at, queue, wait, complete=True)
    assert said in words(draw(with_fields(incident, maxima=found), seen))
    of_other_figures = with_fields(incident, maxima=replace(found, minutes=1.0))
    assert "possibly in different pools." in words(draw(of_other_figures, seen))


def test_stale_figures_are_marked_with_their_time_and_the_reason() -> None:
    """Old is said in the heading, in the row and below the table."""
    drawn = draw(*cases()["parent_stale"])
    assert "(old figures)" in heading(drawn)
    said = words(drawn)
    assert said.split("```")[1].splitlines()[2].endswith("old")
    assert "over 10 min ago: linux.2xlarge and linux.large (Prometheus: connection refused)." in said


def test_a_queue_that_nobody_could_measure_is_unknown_and_not_zero() -> None:
    """No figures never read as an empty queue."""
    drawn = draw(*cases()["parent_unreadable"])
    assert "queue length unknown" in heading(drawn)
    assert "nothing queued" not in words(drawn)
    assert "Prometheus: connection refused" in words(drawn)


def test_the_rendering_does_not_change_while_nothing_is_news() -> None:
    """Two looks within a minute give the same digest: no edit is spent on the time alone."""
    of, seen = samples.worked_on()
    later = View({name: replace(pool, tried_at=NOW) for name, pool in seen.pools.items()}, seen.rules)
    of = replace(of, thread=replace(of.thread, root=f"{int(BEGAN) + 6}.000100"))
    assert digest_of(draw(of, seen)) == digest_of(draw(of, later, NOW + 25))


def test_repeats_of_one_alert_cost_an_edit_per_power_of_ten() -> None:
    """5,000 deliveries of the same alert change the parent three times."""
    of, seen = samples.queueing()
    digests = {
        digest_of(draw(with_fields(of, deliveries=times), seen)) for times in (1, 9, 10, 99, 100, 999, 1000, 5000)
    }
    assert len(digests) == 4


def test_a_closed_incident_is_drawn_from_its_record_alone() -> None:
    """It never changes again, keeps its peaks, and has no button that cannot work."""
    of = samples.closed()
    drawn = draw(of, View())
    assert drawn == draw(of, samples.queueing()[1], NOW + 90_000)
    assert heading(drawn).startswith("DRAINED · P2 · linux.2xlarge")
    assert "Peak: linux.2xlarge 14 jobs queued, oldest wait 1 h 54 min" in words(drawn)
    assert all(block["type"] != "actions" for block in drawn.blocks)


def test_a_click_shows_in_the_parent_with_who_and_when() -> None:
    """Owner, deeds, silence and mute stand there."""
    of, seen = samples.worked_on()
    silence = Silence("s1", "grafana", NOW + 3600, "U0SAM", "inc_1.x")
    said = words(draw(with_fields(of, silences=(silence,), muted=True), seen))
    assert "<@U0ALEX> has it since <!date^" in said
    assert "• <@U0ALEX> set linux.2xlarge from 40 to 50 runners." in said
    assert "by <@U0SAM>." in said
    assert "Status replies are muted" in said


def test_a_silence_that_ran_out_or_was_ended_is_not_shown_as_active() -> None:
    """Only what holds now is said."""
    of, seen = samples.queueing()
    gone = (Silence("a", "g", NOW - 1, "U1", "x"), Silence("b", "g", NOW + 60, "U1", "y", ended=True))
    assert "Silenced until" not in words(draw(replace(of, silences=gone), seen))


def test_the_group_is_told_only_until_somebody_has_it() -> None:
    """One mention at opening, none afterwards."""
    of, seen = samples.queueing()
    assert "<!subteam^S0ONCALL>" in words(draw(of, seen))
    assert "subteam" not in words(draw(with_fields(of, owner="U0ALEX", acked_at=NOW), seen))


def test_the_minimal_rendering_is_text_alone_and_says_how_to_act() -> None:
    """When Slack refused the full one: no blocks, the facts, and words instead of buttons."""
    drawn = draw(*cases()["parent_plain"])
    assert drawn.blocks == ()
    for part in ("OPEN · P2", "linux.2xlarge", "@tailback", "<!subteam^S0ONCALL>"):
        assert part in drawn.text


def test_buttons_carry_their_offer_and_the_rest_stands_in_one_menu() -> None:
    """action_id is the name, the value the opaque id, and a screen reader hears what it is about."""
    of, seen = samples.queueing()
    row = next(block for block in draw(of, seen).blocks if block["type"] == "actions")["elements"]
    assert isinstance(row, list)
    assert [one["action_id"] for one in row] == ["ack", "silence", "scale_up", "diagnose", "more"]
    assert [one["value"] for one in row[:4]] == [offer.request_id for offer in samples.offers(of)[:4]]
    assert [one["value"] for one in row[4]["options"]] == [offer.request_id for offer in samples.offers(of)[4:]]
    assert row[0]["accessibility_label"] == "Acknowledge: linux.2xlarge and linux.g5.4xlarge.nvidia.gpu"


def test_too_many_offers_stay_within_four_buttons_and_five_options() -> None:
    """The surplus of buttons moves into the menu first."""
    of, seen = samples.queueing()
    many = [Offer(f"b{n}", "B", f"a{n}") for n in range(6)] + [
        Offer(f"m{n}", "M", f"o{n}", Place.MORE) for n in range(9)
    ]
    drawn = parent(of, seen, many, NOW, TIMING)
    assert message_problems(drawn) == []
    assert json.dumps(drawn.blocks).count('"type": "button"') == 4


def test_sixty_queueing_pools_are_counted_where_they_are_not_shown() -> None:
    """The table stays short, and what stands behind it is summed up."""
    names = tuple(f"pool-{n}" for n in range(60))
    pools = [Pool(name, (samples.sample(name, n + 1),)) for n, name in enumerate(names)]
    said = words(draw(samples.incident(candidates=names, affected=names), samples.view(*pools)))
    assert "+ 48 more pools not in the table: 1,176 jobs queued" in said


def test_sixty_unknown_pools_do_not_fill_the_table() -> None:
    """They are one line with a count, and never read as quiet."""
    names = tuple(f"pool-{n}" for n in range(60))
    pools = [Pool(name, (), "HTTP 500", NOW) for name in names[1:]]
    worst = samples.grown(samples.sample(names[0]))
    said = words(draw(samples.incident(candidates=names, affected=names[:1]), samples.view(worst, *pools)))
    assert "59 other pools: queue unknown (pool-1, pool-10" in said
    assert "Reason: HTTP 500." in said


def test_an_alert_without_a_queue_to_see_says_what_may_be_wrong() -> None:
    """Empty pools and a firing alert contradict each other, and the message says so."""
    drawn = draw(*cases()["parent_nothing_queued"])
    assert "but the alert fires: it may mean a pool that is not configured here" in words(drawn)


def test_many_unmeasurable_pools_and_no_queue_never_read_as_nothing_queued() -> None:
    """Unknown stays unknown when there are too many pools for the table and none is seen to queue."""
    names = tuple(f"pool-{n}" for n in range(8))
    failing = tuple(Pool(name, (), "HTTP 500", NOW) for name in names)
    drawn = draw(samples.incident(candidates=names), samples.view(*failing))
    assert "8 other pools" not in words(drawn)
    assert "8 pools: queue unknown" in words(drawn)
    assert "othing is queued" not in words(drawn)


def test_a_close_by_hand_does_not_claim_an_empty_queue() -> None:
    """Closed is not drained."""
    drawn = draw(*cases()["parent_resolved_by_hand"])
    assert "closed by hand" in heading(drawn)
    assert "no longer watched" in drawn.text
    assert "empty" not in drawn.text


def test_alerts_that_the_sender_left_out_are_counted() -> None:
    """Hidden truncation is said."""
    assert "+12 more that its sender left out" in words(draw(samples.incident(truncated=12), View()))


def test_a_late_thread_says_how_late() -> None:
    """Delay is shown, never silent (P8)."""
    of = samples.incident(candidates=("a",))
    late = replace(of, thread=replace(of.thread, root=f"{int(of.opened_at) + 245}.000100"))
    assert "This thread opened 4 min after the alert arrived." in words(draw(late, samples.view(names=("a",))))
    assert "This thread opened" not in words(draw(of, View(), of.opened_at + 2))


def test_a_peak_without_a_known_wait_names_no_wait() -> None:
    """Unknown is not zero here either."""
    of = with_fields(samples.closed(), peaks={"linux.2xlarge": Peak(9)})
    assert "Peak: linux.2xlarge 9 jobs queued." in words(draw(of, View()))


def test_a_request_gives_way_to_what_came_of_it() -> None:
    """While nothing has come it stands there; afterwards the deed alone does, and the room is for other things."""
    asked = noted(
        samples.incident(),
        NOW,
        Event.REQUESTED,
        PlainText("asked to silence the alert for 1 h."),
        who="U1",
        tell=False,
        request="a1",
    )
    assert "asked to silence" in words(draw(asked, View()))
    told = replace(asked, log=asked.log.answered("a1"))
    done = noted(told, NOW + 1, Event.SILENCED, PlainText("silenced the alert for 1 h."), who="U1")
    assert "asked to silence" not in words(draw(done, View()))
    assert "<@U1> silenced the alert for 1 h." in words(draw(done, View()))
    other = replace(asked, log=asked.log.answered("a2"))
    assert "asked to silence" in words(draw(other, View()))
