"""The example in docs/how-to/reports.md is what two weeks of the simulated fleet really come to."""

from collections.abc import Iterator, Sequence

from bot.core.incident.incident import Incident
from bot.core.incident.pools import Peak, raised
from bot.core.incident.queue_series import QueueSeries
from bot.core.message import Message
from bot.core.pool.outlook import RunnerPrice
from bot.core.pool.pool import PoolRules, Snapshot
from bot.core.reporting.summary import ReportData
from bot.playground.fleet.spec import Rate
from bot.views.report.report import reported
from tests.builders import closed, named
from tests.core.fleet_weeks import HOUR, LOOK_SECONDS, MONDAY, live, spec
from tests.core.reporting.whole import report
from tests.docs_pages import page

POOL = "linux.2xlarge"
FIRES_AT, DAYS = 1800.0, 14
CAUSE = "limit"


def mornings() -> tuple[Rate, ...]:
    """Three jobs a minute on weekdays from 9 to 12, one a minute else."""
    weekdays = [MONDAY + day * 86400 for day in range(DAYS) if day % 7 < 5]
    return tuple(rate for day in weekdays for rate in (Rate(day + 9 * HOUR, 3.0), Rate(day + 12 * HOUR, 1.0)))


def incidents(samples: Sequence[Snapshot]) -> Iterator[Incident]:
    """As an alert on a wait of half an hour would have opened them, each closed when the queue was empty."""
    found: list[Snapshot] = []
    for sample in samples:
        if found or (sample.oldest_wait_seconds or 0) > FIRES_AT:
            found.append(sample)
        if found and not sample.queued:
            yield incident(found)
            found = []


def incident(samples: Sequence[Snapshot]) -> Incident:
    begun, peak = samples[0].at, Peak()
    for sample in samples:
        peak = raised(peak, sample)
    waited = sum(LOOK_SECONDS * (sample.queued or 0) for sample in samples)
    return closed(
        id=f"i{begun:.0f}",
        opened_at=begun,
        at=samples[-1].at,
        pools=named(POOL),
        peaks={POOL: peak},
        courses={POOL: QueueSeries(LOOK_SECONDS, waited_seconds=waited, causes={CAUSE: len(samples)})},
    )


def example() -> Message:
    """The weekly post of the second week, with the price of docs/examples/tailback.toml."""
    lived = live(spec(20, mornings()), DAYS * 24, seed=3)
    until = MONDAY + DAYS * 86400
    data = ReportData(
        until - 7 * 86400,
        until,
        tuple(incidents(lived.samples)),
        rules={POOL: PoolRules(POOL)},
        prices={POOL: RunnerPrice(0.34)},
    )
    return reported(report(data, {POOL: tuple(lived.cells)}), weekly=True)


def test_the_example_on_the_page_is_the_report_of_the_simulated_fleet() -> None:
    text = example().text
    (shown,) = page("docs/how-to/reports.md").code("text")
    assert " ".join(shown.split()) == " ".join(text.replace("*", "").replace("_", "").split()), text
