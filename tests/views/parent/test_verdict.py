"""What the first message says of the worst pool: its likely cause, the forecast, and what shows the cause."""

from dataclasses import replace

import pytest

from bot.core.finding import Finding, Scaling
from bot.core.incident.incident import Incident
from bot.core.incident.observe import View
from bot.core.pool.outlook import Forecast, Verdict
from bot.core.pool.pool import PoolRules, Snapshot
from bot.core.pool.steady_forecast import SteadyForecast
from bot.core.statement import statement
from bot.views.parent.parent import judged, parent, proof
from bot.views.parent.parent import verdict as drawn_verdict
from bot.views.words.forecasts import forecast_words
from tests.views import samples
from tests.views.samples import NOW, TIMING

ONE = samples.incident(candidates=("linux",), affected=("linux",))


def verdict(of: Incident, seen: View, now: float = NOW) -> str:
    return drawn_verdict(of, seen, judged(of, seen, now, TIMING)) or ""


LIMIT = Finding("limit", 0.8, (statement("limit_was", limit=50),), Scaling.HELPS, "raise_limit", "linux")


def clears(low: float, high: float) -> Forecast:
    """Between so many minutes."""
    return Forecast(NOW - 10, Verdict.INTERVAL, 14, 60 * low, 60 * (low + high) / 2, 60 * high, pool="linux")


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (clears(21, 43), "drains in 20 to 50 min"),
        (clears(24.9, 41), "drains in 20 to 50 min"),
        (clears(0.2, 1.5), "drains in a minute or two"),
        (clears(1, 5), "drains within 6 min"),
        (clears(50, 170), "drains in 50 min to 3 h"),
        (clears(200, 700), "drains in 3 to 12 h"),
        (clears(10, 70), "no clear time yet"),
        (replace(clears(10, 700), today=0.3), "not today (2 in 3)"),
        (replace(clears(900, 1900), today=0.0), "not today (9 in 10)"),
        (Forecast(NOW, Verdict.GROWING, 14, today=0.2), "growing, not today (3 in 4)"),
        (Forecast(NOW, Verdict.STALLED, 14, today=0.25), "not today (3 in 4)"),
        (Forecast(NOW, Verdict.AT_LEAST, 14, 2400.0, today=0.5), "no clear time yet"),
        (
            Forecast(NOW, Verdict.UNTIL_REPAIRED, 14, 7200.0, repaired_seconds=2400.0),
            "does not drain until it is repaired; then about 40 min",
        ),
        (
            Forecast(NOW, Verdict.UNTIL_REPAIRED, 14, 7200.0, reason=statement("not_registered")),
            "does not drain until new machines register",
        ),
        (Forecast(NOW, Verdict.NONE, 14, reason=statement("queue_unknown")), "no clear time yet"),
        (Forecast(NOW, Verdict.NONE, 14, reason=statement("first_forecast", at=NOW)), "first forecast at 02:33 UTC"),
    ],
)
def test_a_forecast_in_a_few_words(made: Forecast, words: str) -> None:
    assert forecast_words(made) == words


def test_a_forecast_that_changed_says_what_it_was() -> None:
    """The middle of what was said, and when; nothing where one of both has no clear time."""
    before, wide = replace(clears(100, 140), at=NOW - 1800), clears(10, 7000)
    for made, sentence in ((clears(21, 43), "drains in 20 to 50 min (was about 2 h at "), (wide, "no clear time yet.")):
        pool = replace(samples.grown(samples.sample("linux")), steady=SteadyForecast(made, was=before))
        assert f"*Forecast:* {sentence}" in verdict(ONE, samples.view(pool))


def test_the_parent_says_likely_cause_and_forecast_once() -> None:
    pool = replace(samples.grown(samples.sample("linux")), outlook=clears(21, 43))
    view = replace(samples.view(pool), causes={"linux": LIMIT})
    drawn = parent(ONE, view, (), NOW, TIMING)
    line = (
        "*Likely cause:* the pool's limit is reached (medium confidence). More runners help. "
        "*Forecast:* drains in 20 to 50 min."
    )
    assert [block for block in drawn.blocks if line in str(block)]
    assert drawn.text.endswith(" · the pool's limit is reached · drains in 20 to 50 min")


def test_with_several_pools_the_line_names_the_worst() -> None:
    worse = replace(samples.grown(samples.sample("gpu", wait=9000.0)), outlook=replace(clears(21, 43), pool="gpu"))
    view = samples.view(worse, samples.grown(samples.sample("linux")))
    found = verdict(samples.incident(candidates=("linux", "gpu"), affected=("linux", "gpu")), view)
    unknown = "*Likely cause of gpu:* not known. Diagnose says which figures would tell."
    assert found.endswith(f". {unknown} *Forecast:* drains in 20 to 50 min.")
    assert ", the longest for 2 h 30 min; " in found


def test_nothing_is_said_without_figures_or_of_a_closed_incident() -> None:
    pool = replace(samples.grown(samples.sample("linux")), outlook=clears(21, 43))
    assert verdict(ONE, samples.view(pool), NOW + 3600) == ""
    assert verdict(samples.closed(), samples.view(pool)) == ""
    empty = replace(samples.view(replace(pool, samples=(samples.sample("linux", queued=2),))))
    floor = replace(empty, rules={"linux": PoolRules("linux", floor=3)})
    assert verdict(ONE, floor) == ""


@pytest.mark.parametrize(("wait", "named"), [(None, False), (300.0, False), (301.0, True)])
def test_a_cause_that_is_not_known_is_said_where_jobs_wait_too_long(wait: float | None, *, named: bool) -> None:
    view = samples.view(samples.grown(samples.sample("linux", wait=wait)))
    found = verdict(ONE, view)
    assert ("*Likely cause:* not known. Diagnose says which figures would tell." in found) is named


def test_rows_that_only_look_queued_have_no_forecast() -> None:
    """They stay until somebody leaves them out."""
    pool = replace(samples.grown(samples.sample("linux")), outlook=clears(21, 43))
    view = replace(samples.view(pool), causes={"linux": replace(LIMIT, cause="stale_rows")})
    assert "Forecast" not in verdict(ONE, view)


def test_an_older_forecast_than_the_figures_is_not_shown() -> None:
    pool = replace(samples.grown(samples.sample("linux")), outlook=replace(clears(21, 43), at=NOW - 400))
    assert "Forecast" not in verdict(ONE, samples.view(pool))


RULES = PoolRules("linux", boot_time_seconds=180)
REFUSED = statement("creates_refused", creates=60, codes=("InsufficientInstanceCapacity ×60",))
CAME = statement("none_came", runners=26, limit=90, known=1, seconds=900, queued=80, idle=1)


def sized(queued: int = 80, busy: int = 26, idle: int = 0, limit: int = 90, wait: float = 1800) -> Snapshot:
    return Snapshot("linux", 0.0, queued, wait, busy=busy, idle=idle, offline=0, limit=limit)


def named(name: str, *seen: object, evidence_at: float | None = None) -> Finding:
    return Finding(name, 0.5, tuple(seen), Scaling.HELPS, "wait", "linux", evidence_at=evidence_at)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("sample", "found", "sentence"),
    [
        (sized(), named("stockout", REFUSED), "*Only 26 of 90 runners:* 60 runner launches refused"),
        (sized(), named("too_few", CAME), "*Evidence:* 26 of 90 runners, none idle"),
        (sized(), None, "*Only 26 of 90 runners:* the figures do not say why."),
        (sized(busy=0, idle=12), None, "*Evidence:* 0 busy, 12 idle, 80 jobs are waiting: nothing is being assigned."),
        (sized(busy=90), None, ""),
        (sized(wait=60), None, ""),
        (sized(busy=90), named("limit", CAME, evidence_at=1.0), ""),
        (None, None, ""),
    ],
)
def test_the_line_says_what_decides(sample: Snapshot | None, found: Finding | None, sentence: str) -> None:
    assert (proof(sample, RULES, found) or "").startswith(sentence)
    assert bool(sentence) == bool(proof(sample, RULES, found))
