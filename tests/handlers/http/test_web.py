"""The HTTP endpoints: health, readiness, metrics, and nothing else."""

import re
import tomllib
from types import SimpleNamespace

import pytest

from bot.adapters.records import FORMAT
from bot.adapters.redis.calls import CALL_SECONDS
from bot.context.save import point
from bot.core.external import FOREIGN
from bot.core.pool.early_warning import WarningHistory
from bot.core.pool.outlook import Forecast, LeftOut, Score, Verdict
from bot.core.pool.pool import Pool
from bot.core.record import Change, Put, Stored
from bot.ports import Failure, Unreachable
from handlers.http.health import READY_SECONDS
from tests.architecture.tree import ROOT
from tests.builders import NOW, POOL
from tests.handlers.endpoint import Endpoint


async def test_a_store_that_is_down_makes_a_living_process_unready_and_says_why(endpoint: Endpoint) -> None:
    """The load balancer sends the next alert elsewhere. A restart would not help; gauges stay as they were."""
    endpoint.world.data.broken = Unreachable("Redis", "connection refused")
    alive, ready, seen = [await endpoint.client.get(f"/{page}") for page in ("healthz", "readyz", "metrics")]
    assert (alive.status_code, alive.text, seen.status_code) == (200, "alive", 200)
    assert ready.status_code == 503
    assert ready.json()["dependencies"]["redis"] == {"ok": False, "why": "Redis: connection refused"}


async def test_a_process_that_can_work_is_ready(endpoint: Endpoint) -> None:
    """One entry per dependency, and the two pages that list them name each.

    Whoever upgrades one process after another sees which release it is, and which records it writes.
    """
    answer = await endpoint.client.get("/readyz")
    pages = [(ROOT / f"docs/reference/{page}.md").read_text() for page in ("http", "metrics")]
    listed = ", ".join(f"`{name}`" for name in answer.json()["dependencies"])
    assert [listed in page for page in pages] == [True, True]
    assert answer.status_code == 200
    assert answer.json()["ready"] is True
    assert answer.json()["dependencies"]["redis"] == {"ok": True}
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    assert (answer.json()["version"], answer.json()["record_schema"]) == (version, FORMAT)


def test_only_a_store_that_does_not_answer_at_all_takes_too_long() -> None:
    """A call to Redis ends first and says what is wrong; whoever asks waits longer than the look takes."""
    probes = [path.read_text("utf-8") for path in (ROOT / "deploy").rglob("*.*") if path.suffix in {".yaml", ".tpl"}]
    waits = [int(found) for text in probes for found in re.findall(r"/readyz.*timeoutSeconds: (\d+)", text)]
    assert len(waits) >= 3
    assert CALL_SECONDS < READY_SECONDS < min(waits)


@pytest.mark.parametrize(
    ("trouble", "dependency", "why"),
    [
        ({"nearly_full": "Redis uses 95% of its maxmemory; raise maxmemory"}, "storage", "raise maxmemory"),
        ({"lost": True}, "records", "lost data"),
        ({"clock": SimpleNamespace(problem="it has stepped", steps=1)}, "clock", "has stepped"),
    ],
)
async def test_a_store_in_trouble_degrades_it_while_it_still_takes_alerts(
    endpoint: Endpoint, trouble: dict[str, object], dependency: str, why: str
) -> None:
    """200, with the reason; actions stand still after a loss (P10). The metric agrees."""
    vars(endpoint.store).update(trouble)
    answer = await endpoint.client.get("/readyz")
    seen = await endpoint.client.get("/metrics")
    assert (await endpoint.alert()).status_code == 200
    assert (answer.status_code, answer.json()["degraded"]) == (200, True)
    assert why in answer.json()["dependencies"][dependency]["why"]
    assert f'tailback_dependency_up{{dependency="{dependency}"}} 0.0' in seen.text


@pytest.mark.parametrize(
    ("failure", "degraded"),
    [(Failure.CREDENTIALS, True), (Failure.UNCONNECTED, True), (Failure.LATER, False), (Failure.SHAPE, False)],
)
async def test_a_slack_that_is_out_of_reach_degrades_it_and_alerts_must_still_reach_it(
    failure: Failure, degraded: bool, endpoint: Endpoint
) -> None:
    """A balancer that took every process out would refuse the alerts; a rate limit says nothing of the process."""
    endpoint.world.chat.script.fail("post", failure, retry_after_seconds=30, times=1)
    endpoint.world.queues(14)
    await endpoint.alert()
    await endpoint.world.work()
    answer = await endpoint.client.get("/readyz")
    assert answer.status_code == 200
    assert (answer.json()["ready"], answer.json()["degraded"]) == (True, degraded)
    assert answer.json()["dependencies"]["slack"]["ok"] is not degraded


async def test_a_second_tailback_with_the_same_token_degrades_it(endpoint: Endpoint) -> None:
    """Some clicks reach the other one; alerts are stored all the same."""
    await point(endpoint.world.context, [FOREIGN], "2")
    answer = await endpoint.client.get("/readyz")
    assert (answer.status_code, answer.json()["degraded"]) == (200, True)
    why = "At least 2 processes of another Tailback take clicks with this app token"
    assert answer.json()["dependencies"]["installation"]["why"] == why


async def test_a_source_that_does_not_answer_degrades_it_at_once(endpoint: Endpoint) -> None:
    """It can still store alerts (ADR 0012)."""
    endpoint.world.context.health.sources = {"prometheus": "Prometheus did not answer within 8 s"}
    answer = await endpoint.client.get("/readyz")
    seen = await endpoint.client.get("/metrics")
    assert (answer.status_code, answer.json()["ready"], answer.json()["degraded"]) == (200, True, True)
    assert answer.json()["dependencies"]["metrics"]["why"] == "Prometheus did not answer within 8 s"
    assert 'tailback_dependency_up{dependency="metrics"} 0.0' in seen.text


async def test_a_pool_without_figures_degrades_it(endpoint: Endpoint) -> None:
    """Else an alert at night is the first to find that nothing is measured."""
    endpoint.world.metrics.script.fail("snapshot", Failure.UNCONNECTED, times=None)
    for wake in (f"pool:{POOL}", "chore:pools"):
        await endpoint.world.store.commit(Change(wake=(wake,)))
        await endpoint.world.work()
    found = (await endpoint.client.get("/readyz")).json()
    assert (found["ready"], found["degraded"]) == (True, True)
    assert found["dependencies"]["metrics"]["why"].startswith(f"no figures for {POOL}. ")


async def test_metrics_have_the_products_prefix_and_real_values(endpoint: Endpoint) -> None:
    """Open incidents, and how long the oldest has waited for its thread."""
    await endpoint.alert()
    endpoint.world.clock.advance(42)
    answer = await endpoint.client.get("/metrics")
    lines = [line for line in answer.text.splitlines() if line and not line.startswith("#")]
    assert answer.status_code == 200
    assert all(line.startswith("tailback_") for line in lines)
    assert "tailback_open_incidents 1.0" in lines
    assert "tailback_waiting_seconds 42.0" in lines
    assert any(line.startswith('tailback_alerts_total{outcome="opened",sender="",source="grafana"}') for line in lines)


async def test_a_pools_record_of_warnings_and_forecasts_is_told(endpoint: Endpoint) -> None:
    """From the store, so that every process says the same."""
    made = Forecast(NOW, Verdict.INTERVAL, 60, 700.0, 1000.0, 1400.0, pool=POOL)
    scores = (Score(made, 0.0, held=False, left_out=LeftOut.SCALED), Score(made, 900.0, held=True))
    pool = Pool(POOL, forecasts=(made, made), scores=scores, early=WarningHistory(hits=2, false=1, missed=3))
    await endpoint.store.commit(Change(puts=(Put(Stored(pool, 0), pool, None),)))
    lines = (await endpoint.client.get("/metrics")).text.splitlines()
    for outcome, number in (("hit", 2), ("false", 1), ("missed", 3)):
        assert f'tailback_early_warnings{{outcome="{outcome}",pool="{POOL}"}} {number}.0' in lines
    assert f'tailback_forecast_scored{{pool="{POOL}"}} 1.0' in lines
    for reason, number in (("scaled", 1), ("unseen", 0), ("waiting", 2)):
        assert f'tailback_forecast_left_out{{pool="{POOL}",reason="{reason}"}} {number}.0' in lines


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/", 404), ("GET", "/docs", 404), ("GET", "/alerts/grafana", 405), ("PUT", "/slack/events", 405),
     ("TRACE", "/healthz", 405), ("GET", "/../etc/passwd", 404), ("GET", "/github", 405)],
)  # fmt: skip
async def test_there_is_nothing_else(method: str, path: str, status: int, endpoint: Endpoint) -> None:
    """No documents, no debug page, no stack trace."""
    answer = await endpoint.client.request(method, path)
    assert answer.status_code == status
    assert "Traceback" not in answer.text
