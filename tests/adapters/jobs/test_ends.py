"""What two listings tell of the jobs that ended between them."""

from bot.adapters.jobs.ends import MOST_GAP_SECONDS, Ends, ListedRun
from bot.core.kinds.paces import EndedJob

AT = 1_800_000_000.0
HERE = frozenset({"linux"})


def run(name: str, started: float = AT - 600, place: frozenset[str] = HERE) -> ListedRun:
    return ListedRun(name, f"kind of {name}", started, place, name, "o/r")


def ended(ends: Ends, at: float) -> list[EndedJob]:
    return list(ends.of(lambda place: place == HERE, at).ended)


def test_what_runs_no_more_has_ended_in_the_middle_of_two_samples() -> None:
    ends = Ends()
    ends.observe([run("a"), run("b"), run("c", place=frozenset({"mac"}))], AT)
    ends.observe([run("b"), run("d", AT)], AT + 40)
    assert ended(ends, AT + 40) == [EndedJob("kind of a", AT + 20, 620.0, "o/r")]
    ends.observe([], AT + 80)
    assert [job.kind for job in ended(ends, AT + 80)] == ["kind of d", "kind of b", "kind of a"]


def test_samples_far_apart_or_out_of_order_tell_no_end() -> None:
    """A job may have ended at any time in between, and a shorter one may have come and gone."""
    for gap in (MOST_GAP_SECONDS + 1, 0.0, -30.0):
        ends = Ends()
        ends.observe([run("a")], AT)
        ends.observe([], AT + gap)
        assert ended(ends, AT + gap) == []


def test_ends_of_an_hour_tell_the_pace_and_those_of_a_quarter_are_passed_on() -> None:
    ends = Ends()
    for minute in range(40):
        ends.observe([run(f"job {minute}", AT + 60 * minute - 300), run("same", AT)], AT + 60 * minute)
    at = AT + 60 * 39
    jobs = ends.of(lambda _: True, at)
    assert len(jobs.ended) == 15
    assert [(one.name, one.ran_seconds) for one in jobs.running] == [("same", at - AT), ("job 39", 300.0)]
    ends.observe([run("same", AT)], at + 3500)
    assert ended(ends, at + 3500) == []
