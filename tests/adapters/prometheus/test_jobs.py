"""Single jobs and kinds of jobs from Prometheus: labels become names, `stat` says what a value is."""

from collections.abc import Mapping

from bot.adapters.prometheus.answers import PrometheusSample
from bot.adapters.prometheus.jobs import composition, kinds, running
from bot.core.kinds.paces import JobGroup, KindPace, RunningJob

TEST = {"workflow": "pull", "exported_job": "test (default, 1, 5, linux.2xlarge)", "instance": "e", "job": "scrape"}


def samples(*rows: tuple[Mapping[str, str], float]) -> tuple[PrometheusSample, ...]:
    return tuple(PrometheusSample(labels, 0.0, value) for labels, value in rows)


def test_the_longest_running_jobs_come_first_by_name_and_link() -> None:
    url = "https://ci.example/1"
    found = running(samples(({**TEST, "url": url}, 60.0), ({"job": "lint"}, 90.0)))
    name = "pull / test (default, 1, 5, linux.2xlarge)"
    assert found == (RunningJob("lint", 90.0), RunningJob(name, 60.0, "", url))


def test_shards_of_a_kind_are_one_kind() -> None:
    other = {**TEST, "exported_job": "test (default, 2, 5, linux.2xlarge)"}
    rows = (
        ({**TEST, "stat": "now"}, 3660.0),
        ({**TEST, "stat": "usual"}, 1320.0),
        ({**TEST, "stat": "running"}, 20.0),
        ({**other, "stat": "running"}, 21.0),
        ({"job": "docs", "stat": "running"}, float("nan")),
    )
    assert kinds(samples(*rows)) == (KindPace("pull / test (default)", 3660.0, 1320.0, 41),)


def test_a_group_without_a_number_of_jobs_is_none() -> None:
    stats = {"jobs": 15.0, "median": 1200.0, "longest": 2400.0, "shortest": 600.0}
    rows = [({**TEST, "runner_label": "gpu", "stat": stat}, value) for stat, value in stats.items()]
    found = composition(samples(*rows, ({"job": "docs", "stat": "median"}, 5.0)))
    assert found == (JobGroup("pull / test (default)", "gpu", "", 15, 1200.0, 2400.0, 600.0),)
