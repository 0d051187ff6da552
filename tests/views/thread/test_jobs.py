"""Which jobs wait and run longest, as Diagnose lists them; names come from outside."""

from dataclasses import replace

from bot.core.finding import Finding, Scaling
from bot.core.kinds.paces import JobGroup, RunningJob
from bot.core.pool.pool import Snapshot
from bot.views.thread.jobs import jobs_words, sample_of

GROUP = JobGroup("pull / test <!channel>", "gpu", "o/r", 9, 1200.0, 2400.0, 60.0)
RUNS = tuple(RunningJob(f"pull / job {n}", 7200.0, "o/r", f"https://ci.example/{n}") for n in range(5))
SAMPLE = Snapshot("linux", 0.0, queued=12, composition=(replace(GROUP, jobs=1),) * 5, running=RUNS)


def cause(name: str) -> Finding:
    return Finding(name, 0.5, (), Scaling.NO, "cancel_hanging_jobs")


def test_the_largest_groups_are_told_with_their_waits_and_further_ones_counted() -> None:
    (waits,) = jobs_words(cause("limit"), SAMPLE)
    assert "1 job (8%) of pull / test &lt;!channel&gt; in o/r, label gpu: median wait 20 min, longest 40 min" in waits
    assert waits.endswith("9 other jobs")


def test_the_longest_running_jobs_are_linked_where_they_are_the_cause() -> None:
    _, runs = jobs_words(cause("hung"), SAMPLE)
    assert runs.count("https://ci.example/") == 3
    assert "pull / job 0>: 2 h" in runs


def test_a_pool_without_single_jobs_adds_nothing() -> None:
    assert jobs_words(cause("hung"), Snapshot("linux", 0.0, queued=3)) == []
    assert jobs_words(None, sample_of("gone", [SAMPLE])) == []
