"""The thread's first reply: the alert's own words, the longest waiting jobs grouped, and the other pools."""

from dataclasses import replace

import pytest

from bot.core.alert import Kind
from bot.core.incident.incident import Incident
from bot.core.incident.observe import View, observed
from bot.core.incident.pools import Maxima
from bot.core.message import Message
from bot.core.pool.pool import Job, Pool, PoolRules
from bot.views.thread.introduction import job_name
from bot.views.thread.replies import reply
from tests.builders import with_fields
from tests.slack_limits import message_problems
from tests.views import samples
from tests.views.golden import assert_golden
from tests.views.samples import BEGAN, NOW, TIMING


def first_reply(of: Incident, seen: View) -> Message:
    rooted = replace(of, thread=replace(of.thread, root=f"{int(BEGAN) + 6}.000100"))
    after = observed(rooted, seen, NOW, TIMING)
    assert len(after.log.outbox) == 1
    assert observed(after, seen, NOW, TIMING).log.outbox == after.log.outbox, "it is written once"
    drawn = reply(after, after.log.timeline[-1], NOW)
    assert message_problems(drawn) == []
    return drawn


def test_the_first_reply_is_drawn_as_its_golden_file_says() -> None:
    assert_golden("reply_opened", first_reply(*samples.queueing()))


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("linux-jammy-py3.10-gcc11 / test (default, 1, 5, linux.2xlarge)", "test (default)"),
        ("build", "build"),
        ("a / b / build", "build"),
        ("test (default)", "test (default)"),
        ("", "(no name)"),
    ],
)
def test_jobs_of_a_kind_have_one_name(name: str, kind: str) -> None:
    assert job_name(name) == kind


def test_equal_jobs_are_counted() -> None:
    names = ["w / test (default, 1, 2)", "w / test (default, 2, 2)", "w / build", "c", "d", "e"]
    jobs = tuple(Job(name, 600.0) for name in names)
    seen = samples.view(samples.grown(samples.sample("linux", waiting=jobs)))
    drawn = first_reply(samples.incident(candidates=("linux",), affected=("linux",)), seen)
    assert "• linux: test (default) ×2, build, c, d and 1 more, waiting up to 10 min" in drawn.text


@pytest.mark.parametrize(
    ("queue", "wait", "sentence"),
    [
        ("a", "b", " (the queue matches a, the wait matches b)."),
        ("a", "a", " (both match a)."),
        (None, "b", " (the wait matches b)."),
        (None, None, " (no configured pool shows them)."),
    ],
)
def test_the_pools_that_hold_the_reported_maxima_are_named(queue: str | None, wait: str | None, sentence: str) -> None:
    incident, seen = samples.queueing()
    found = Maxima(14, 114, incident.opened_at, queue, wait, complete=True)
    drawn = first_reply(with_fields(incident, maxima=found), seen)
    assert (
        f"Alert values: 14 jobs queued, longest wait 1 h 54 min{sentence} The wait crossed the alert's limit."
        in drawn.text
    )
    assert "I checked all 5." in drawn.text
    assert "threshold" not in drawn.text


def test_the_values_of_an_alert_that_names_one_pool_are_of_that_pool() -> None:
    of, seen = samples.incident(candidates=("linux",), affected=("linux",)), samples.view(Pool("linux"))
    labels = dict(of.group.alerts[0].labels)
    for match, doubt in ((labels, ""), ({"other": "x"}, " (possibly from different pools)")):
        rules = {"linux": PoolRules("linux", match=match)}
        drawn = first_reply(of, replace(seen, rules=rules))
        assert f"Alert values: 14 jobs queued, longest wait 1 h 54 min{doubt}." in drawn.text


def test_an_alert_without_data_says_nothing_of_the_queue() -> None:
    of, seen = samples.queueing()
    text = first_reply(with_fields(of, kind=Kind.BLIND), seen).text
    assert "The alert's own query has no data. By the alert, the queue length is unknown, which is not zero." in text


def test_unread_pools_are_named_with_their_reason() -> None:
    pool = samples.grown(samples.sample("linux"))
    silent = [Pool(name, (), why, NOW) for name, why in (("arm", "HTTP 401"), ("gpu", "HTTP 500"), ("mac", "HTTP 500"))]
    names = ("linux", "arm", "gpu", "mac")
    drawn = first_reply(samples.incident(candidates=names, affected=("linux",)), samples.view(pool, *silent))
    assert "arm: no figures. Reason: HTTP 401.\ngpu and mac: no figures. Reason: HTTP 500." in drawn.text


def test_an_incident_that_waited_in_a_storm_gets_no_first_reply() -> None:
    of, seen = samples.queueing()
    late = replace(of, thread=replace(of.thread, root=f"{int(BEGAN) + 60}.000100"))
    assert observed(late, seen, NOW, TIMING).log.outbox == ()
