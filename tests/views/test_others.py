"""Replies, the storm digest, dialogs, App Home and what one person is told."""

from dataclasses import replace
from typing import Any

import pytest

from bot.core.alert import silence_matchers
from bot.core.external import SilenceFound
from bot.core.incident.details.events import PlainText
from bot.core.incident.incident import Incident
from bot.core.incident.observe import View
from bot.core.incident.pools import Reported
from bot.core.incident.silence import Silence
from bot.core.incident.timeline import Entry, Event
from bot.core.message import Block, Message
from bot.core.pool.outlook import RunnerPrice
from bot.core.pool.pool import PoolRules
from bot.core.requests.interaction import Offer
from bot.core.scaling.lease import Lease, PoolLeases
from bot.views import answers
from bot.views.dialogs.modals import notice, silence_modal
from bot.views.dialogs.scale import OTHER, ScaleChoice, ScaleRow, chosen_of, scale_answer, scale_modal
from bot.views.home import Board, home, refused_home
from bot.views.mrkdwn import shortened
from bot.views.parent.urgency import urgent_first
from bot.views.thread.digest import digest, left_out, page, pages
from bot.views.thread.replies import reply
from bot.views.thread.results import effect_answer, returned_to_channel
from bot.views.words.forecasts import HEAD, Preview
from tests.builders import with_fields
from tests.slack_limits import message_problems, texts, view_problems
from tests.views import samples
from tests.views.golden import assert_golden
from tests.views.samples import NOW, TIMING, words


def modal(of: Incident, most_seconds: float) -> Block:
    return silence_modal("inc_1.abc", of, silence_matchers(of.group.firing or of.group.alerts), most_seconds)


@pytest.mark.parametrize("event", Event)
def test_every_event_has_a_reply_with_the_same_facts_in_text_and_blocks(event: Event) -> None:
    figures = (samples.sample("linux.2xlarge"), samples.sample("linux.large", None, None))
    entry = Entry(3, NOW, event, PlainText("did a thing.", ("One line", "Another")), "U0ALEX", (), figures)
    drawn = reply(samples.queueing()[0], entry, NOW + 2)
    assert message_problems(drawn) == []
    assert drawn.text.startswith("*Failed:*") is (event is Event.FAILED)
    for text in (drawn.text, words(drawn)):
        for part in ("<@U0ALEX> did a thing.", "One line", "Another"):
            assert part in text
        calls = event in {Event.ESCALATED, Event.CALLED, Event.UNACKED}
        assert ("linux.2xlarge" in text) is calls, "the parent shows the figures, unless people are called"


def test_lines_that_do_not_fit_a_reply_are_counted() -> None:
    entry = Entry(3, NOW, Event.DIAGNOSED, PlainText("looked.", tuple(f"line {n}" for n in range(60))), None, ())
    drawn = reply(samples.queueing()[0], entry, NOW)
    assert message_problems(drawn) == []
    assert "+ 20 lines that do not fit here." in words(drawn)
    assert "+ 40 more lines." in drawn.text


def storm(number: int, title: str = "Jobs are Queued") -> list[Incident]:
    made = (samples.incident(affected=(f"linux.{n:03}xlarge.nvidia.gpu",), candidates=("x",)) for n in range(number))
    return [with_fields(one, id=f"inc_{n}", title=title.format(n=n)) for n, one in enumerate(made)]


@pytest.mark.parametrize(
    "title", ["Jobs are Queued - autoscaled-machines", "[FIRING:1] QueueTooLong {n} (ci linux P2)"]
)
def test_a_storm_of_120_incidents_is_named_in_one_message(title: str) -> None:
    drawn = digest(storm(120, title), 130, NOW)
    assert message_problems(drawn) == []
    for n in range(120):
        assert f"linux.{n:03}xlarge.nvidia.gpu" in words(drawn)
        assert f"linux.{n:03}xlarge.nvidia.gpu" in drawn.text
    assert "120 incidents waiting for a thread, 10 of 130 opened" in drawn.text
    assert "one message a second" in drawn.text


@pytest.mark.parametrize("title", ["Jobs are Queued - autoscaled-machines", "{n} " + "t" * 300])
def test_a_storm_of_500_is_told_by_name_in_the_digest_and_replies_below_it(title: str) -> None:
    """Nothing is cut in the middle of a name or only counted; the gravest come first, at most 200 in a reply."""
    waiting = storm(500, title)
    drawn, rest = digest(waiting, 500, NOW), left_out(waiting, NOW)
    parts = pages(rest)
    assert [one for part in parts for one in part] == waiting[500 - len(rest) :]
    assert all(len(part) <= 200 for part in parts)
    messages = [drawn, *(page(part) for part in parts)]
    assert [message_problems(one) for one in messages] == [[]] * len(messages)
    every = " ".join(words(one) for one in messages)
    assert all(f"linux.{n:03}xlarge.nvidia.gpu" in every for n in range(500))
    named = frozenset(one.id for one in rest)
    assert left_out(waiting, NOW, named) == [], "no reply names anybody twice"


@pytest.mark.parametrize("number", [200, 340, 1360])
def test_a_digest_renders_each_name_a_few_times_however_many_wait(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once to see whether all fit, once for those that no reply names, and in the notification."""
    rendered: list[str] = []

    def counting(text: str, most: int) -> str:
        rendered.append(text)
        return shortened(text, most)

    monkeypatch.setattr("bot.views.thread.digest.shortened", counting)
    waiting = storm(number)
    digest(waiting, number, NOW)
    assert len(rendered) <= 2 * 3 * number, "a title and a name"
    rendered.clear()
    pages(waiting)
    assert len(rendered) <= 2 * number


def test_a_storm_of_alerts_that_name_no_pool_is_counted_by_title() -> None:
    nameless = [with_fields(one, affected=(), candidates=("a", "b")) for one in storm(120)]
    assert "pool not named ×120" in words(digest(nameless, 120, NOW))


def test_an_alert_that_cannot_be_silenced_narrowly_is_not_silenced() -> None:
    """No dialog that would match everything (AC-6)."""
    of = samples.incident(samples.alert(rule_uid=None, labels={}))
    drawn = modal(of, 86_400)
    assert view_problems(drawn) == []
    assert "submit" not in drawn


@pytest.mark.parametrize("most", [1.0, 600.0, 900.0, 1e7])
def test_the_silence_dialog_has_a_choice_whatever_the_limit(most: float) -> None:
    assert view_problems(modal(samples.queueing()[0], most)) == []


PREVIEW = Preview(
    (
        "As it is, the queue drains in about 1 h, at worst 5 h.",
        "With +10: 1.6 × faster, about 25 min sooner. The queue drains in about 40 min, at worst 2 h.",
    ),
    (HEAD, ("+0", "1h 00m", "4h 40m", "1h 12m", "–"), ("+10 ←", "40m", "1h 50m", "48m", "$2.27")),
)


def choices() -> list[ScaleChoice]:
    return [
        ScaleChoice("linux.2xlarge", 40, 60, 40, 14, 50, 180.0, RunnerPrice(0.34), step=10),
        ScaleChoice("linux.g5", None, 10, reason="Its current size is unknown."),
    ]


LARGE = ScaleChoice("linux.large", 4, 9, proposed=6)
ROWS = [
    ScaleRow(45, 5, "done in 1 h to 1 h 40 min, $1.70 an hour, no approval"),
    ScaleRow(50, 10, "done in 40 min to 1 h, $3.40 an hour, needs approval"),
]
TERMS = ["The extra runners are returned 10 min after the queue has drained, or after 4 h."]


def dashboard() -> Board:
    """An incident with a silence and extra runners, one that is over, and one that the person may not see."""
    of, seen = samples.worked_on()
    offers = {of.id: [Offer("ack", "Take over", "inc_1.a"), Offer("scale_up", "Scale up", "inc_1.b")]}
    until = NOW + 3600
    silence = Silence("s1", "am", until, "U0ALEX", "inc_1.c")
    over = replace(samples.closed(), id="inc_0")
    lease = PoolLeases("linux.2xlarge", 40, leases=(Lease("a1", "U0ANA", "C1", 51, 40, NOW, of.id, ends_at=until),))
    seen = replace(seen, rules={name: PoolRules(name) for name in seen.pools})
    links = {of.id: "https://x.slack.com/archives/C0CI/p1"}
    return Board([replace(of, silences=(silence,))], [over], seen, offers, links, [lease], 1)


def renderings() -> dict[str, Message | Block]:
    (of, seen), at, worse = samples.queueing(), NOW - 240, PlainText("Worse: 21 jobs queued (was 14).")
    worst = (samples.sample("linux.2xlarge", 21, 7200.0),)
    reported = Reported(at, 17, 6840.0, "linux.2xlarge")
    refused = answers.refusal("Only full members of this workspace may do that.", may=["S0INFRA"])
    waiting = urgent_first([replace(of, id="a", pools=replace(of.pools, reported=reported)), *storm(2)])
    return {
        "reply_worse": reply(of, Entry(3, at, Event.WORSE, worse, None, (), worst, broadcast=True), NOW),
        "digest": digest(waiting, 3, NOW),
        "modal_silence": modal(of, 86_400),
        "modal_scale": scale_modal("inc_1.abc", [*choices(), LARGE], ROWS, PREVIEW.above[:1], TERMS),
        "modal_scale_answer": scale_answer("inc_1.abc", choices()[0], ROWS, PREVIEW.above[:1], TERMS),
        "scale_preview": effect_answer("linux.2xlarge has 40 runners. What more would do:", PREVIEW),
        "home": home(dashboard(), NOW, TIMING),
        "home_refused": refused_home(refused),
        "status": answers.status(seen, (*seen.pools, "linux.new"), NOW, TIMING),
    }


@pytest.mark.parametrize("name", renderings())
def test_it_is_drawn_as_its_golden_file_says(name: str) -> None:
    assert_golden(name, renderings()[name])


def test_home_names_nobody_of_an_incident_that_the_person_may_not_see() -> None:
    hidden = "\n".join(texts(home(replace(dashboard(), incidents=(), permalinks={}), NOW, TIMING)["blocks"]))
    assert "+11 (to 51)" in hidden
    assert "<@U0ANA>" not in hidden
    empty: Any = home(Board(), NOW, TIMING)["blocks"]
    assert [block["type"] for block in empty] == ["header", "section", "divider", "context"]


def test_home_calls_a_pool_stale_only_when_it_is_older_than_it_was_to_be() -> None:
    """A pool without an incident is measured every `timing.watch`."""
    seen, later = dashboard().view, NOW + 1800
    calm = replace(dashboard(), incidents=(), offers={})
    assert "stale" in "\n".join(texts(home(replace(calm, view=seen), later, TIMING)["blocks"]))
    hourly = replace(TIMING, watch=3600.0)
    assert "stale" not in "\n".join(texts(home(replace(calm, view=seen), later, hourly)["blocks"]))


def test_a_warning_stands_right_below_the_pool_that_is_proposed() -> None:
    """On a phone it stood below the list of all pools, out of sight."""
    others = [ScaleChoice(f"other.{number}", 4, 9, queued=3, proposed=6) for number in range(4)]
    drawn = scale_modal("a", [choices()[0], *others], ROWS, ["More runners will hardly help: no machines."], TERMS)
    text = "\n".join(texts(drawn["blocks"]))
    assert text.index("now 40 runners") < text.index("More runners will hardly help") < text.index("other.0")


def inputs(view: Block) -> dict[str, Any]:
    blocks: Any = view["blocks"]
    return {block["block_id"]: block["element"] for block in blocks if block["type"] == "input"}


def test_each_choice_is_a_total_with_its_effect_and_the_suggested_one_is_chosen() -> None:
    shown = inputs(scale_modal("a", [choices()[0], LARGE], ROWS, (), TERMS))
    first, second, other = shown["choice"]["options"]
    assert (first["text"]["text"], first["description"]["text"]) == ("45 (+5)", ROWS[0].effect)
    assert shown["choice"]["initial_option"] == second
    assert other["text"]["text"] == "Another total or pool"
    assert chosen_of(second["value"]) == ("linux.2xlarge", "50", 40)
    assert chosen_of(other["value"])[:2] == ("linux.2xlarge", OTHER)
    assert shown["pool"]["initial_option"]["value"] == "linux.2xlarge"


def test_nothing_is_chosen_where_more_would_not_help() -> None:
    drawn = scale_modal("a", [replace(choices()[0], useless=True)], ROWS, (), TERMS)
    assert view_problems(drawn) == []
    assert "initial_option" not in inputs(drawn)["choice"]
    assert inputs(drawn).keys() == {"choice", "target"}


def test_several_pools_are_chosen_from_and_none_means_no_button() -> None:
    several = scale_modal("a", [*choices(), LARGE], ROWS, (), TERMS)
    assert list(inputs(several)) == ["choice", "target", "pool"]
    stuck = [ScaleChoice("macos", 2, 16, step=10), ScaleChoice("full", 9, 9), ScaleChoice("odd", None, 9)]
    none = scale_modal("a", [*choices()[1:], *stuck], (), (), ())
    text = "\n".join(texts(none["blocks"]))
    assert "lowest target that its autoscaler accepts." in text
    assert "It is at its maximum." in text
    assert text.count("Its current size is unknown.") == 2
    assert view_problems(several) == []
    assert view_problems(none) == []
    assert "submit" not in none


def test_lists_help_and_refusals_are_complete_in_text() -> None:
    of, _ = samples.queueing()
    listed = answers.incident_list([replace(of, id=str(n)) for n in range(200)], NOW)
    assert message_problems(listed) == []
    assert listed.text.startswith("200 open incidents, of which the 20 most urgent:")
    titles = [with_fields(of, id=f"i{n}", title=title) for n, title in enumerate(("Job Queue", "Wait too long"))]
    lines = [text for text in texts(answers.incident_list(titles, NOW).blocks) if "since" in text]
    assert ["Job Queue" in lines[0], "Wait too long" in lines[0]] == [True, True], "only the alerts tell them apart"
    assert "Job Queue" not in answers.incident_list(titles[:1], NOW).text, "the pool says it"
    wider = replace(titles[1], pools=replace(of.pools, affected=(*of.pools.affected, "linux.small")))
    assert "Job Queue" in answers.incident_list([titles[0], wider], NOW).text, "they share a pool"
    offers = [(replace(of, opened_at=NOW - hours * 3600), f"i{hours}") for hours in (1, 2)]
    choice = answers.incident_choice(offers, "ack", "Acknowledge")
    assert len({text for text in texts(choice.blocks) if "since" in text}) == 2, "one alert in two channels"
    assert "scale POOL TARGET" in answers.help_text([("scale POOL TARGET", "sets the pool's size")]).text
    assert answers.incident_list([], NOW).text == "No incident is open in your channels."
    assert "tailback.toml" in answers.status(View(), (), NOW, TIMING).text
    assert "All 120 incidents" in digest([], 120, NOW).text
    assert view_problems(notice("A title that is much too long for a dialog", [])) == []


def test_a_refusal_names_who_may() -> None:
    text = answers.refusal("You don't have permission.", may=["S0INFRA", "U0DAN"]).text
    assert text == "You don't have permission. Ask <!subteam^S0INFRA>, <@U0DAN>."
    assert "<!" not in answers.refusal("No.", may=["<!here>"]).text
    assert answers.refusal("No.", may=[f"U0{n}" for n in range(9)]).text.count("<@") == 5


def test_a_first_message_that_is_left_points_to_the_thread_and_has_no_buttons() -> None:
    own, other = (returned_to_channel("https://slack.test/1", own=own) for own in (True, False))
    assert own.text == "This incident continues in <https://slack.test/1|its own channel>."
    assert other.text == "This incident continues in <https://slack.test/1|the fallback channel>."
    assert not [block for one in (own, other) for block in one.blocks if block["type"] == "actions"]


FOUND = SilenceFound("s1", active=True, ends_at=NOW + 7200, comment="", by="dana")
OURS = Silence("s1", "grafana", NOW + 7200, "U0ANA", "i1.abc", until_drained=True, above=200)


def test_one_of_ours_is_told_with_owner_and_end_condition() -> None:
    text = answers.silence_list([answers.ListedSilence("grafana", FOUND, OURS, "Queue is long")], NOW).text
    assert text.startswith("1 active silence:\n*Queue is long*")
    assert "2 h more" in text
    assert "by <@U0ANA>" in text
    assert "or until the queue has drained, or more than 200 jobs wait" in text


def test_one_of_somebody_else_is_told_by_its_back_end() -> None:
    text = answers.silence_list([answers.ListedSilence("grafana", FOUND)], NOW).text
    assert "by dana in grafana" in text
    assert answers.silence_list([], NOW).text == "Nothing is silenced."
