"""What `tailback job` prints is what `/queue job` says."""

from handlers.tools.remote.job_answer import printed
from tests.builders import NOW, POOL

WAITS = {
    "at": "2027-01-15T08:00:00Z", "url": "https://github.com/a/b/actions/runs/1/job/2", "id": "2", "name": "test",
    "pool": POOL, "state": "waiting", "queued_at": "2027-01-15T07:50:00Z", "started_at": None, "ended_at": None,
    "ahead": {"low": 30, "high": 40},
    "start": {"kind": "interval", "low_seconds": 900.0, "median_seconds": 1800.0, "high_seconds": 3000.0},
    "usual_seconds": None, "cause": "limit", "incident": "i1", "reason": None,
}  # fmt: skip


def test_a_waiting_job_is_told_with_start_place_cause_and_incident() -> None:
    text = printed({"items": [WAITS], "next": None}, NOW)
    for words in ("test", POOL, "will probably start in 15 to 50 min",
                  "30 to 40 jobs are ahead", "the pool's limit is reached",
                  "Incident: i1", "The order is an estimate"):  # fmt: skip
        assert words in text
    assert not set("*<>") & set(text)


def test_what_is_unknown_is_said_and_not_guessed() -> None:
    unknown = {**WAITS, "ahead": None, "start": None, "cause": None, "incident": None, "reason": "figures_old"}
    assert "no new figures" in printed({"items": [unknown]}, NOW)
    running = {**unknown, "state": "running", "started_at": "2027-01-15T07:55:00Z", "usual_seconds": 1320}
    assert "22 min" in printed({"items": [running]}, NOW)
