"""The page on Prometheus: its configuration through the doctor, against a real one and against refusals."""

from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from bot.adapters.prometheus.presets import PRESETS
from handlers.doctor.findings import CheckFinding, Level
from tests.answering import answering
from tests.integrations.checking import PAGES, checked, line_of, only
from tests.real_prometheus import RealPrometheus, real_prometheus

POOL = 'pool="linux.2xlarge"'
URL = "http://localhost:9090"
PRESET = 'preset = "ci"'
SHOWN = f"""
ci_jobs_queued{{{POOL}}} 14
ci_job_oldest_wait_seconds{{{POOL}}} 6840
ci_runners{{{POOL},state="busy"}} 38
"""
QUEUED = f"queued = 'sum(ci_jobs_queued{{{POOL}}})'"


async def found(url: str, folder: Path, instead: dict[str, str] | None = None) -> CheckFinding:
    """The doctor's one finding about the pool."""
    return only(await checked("prometheus", folder, {URL: url, **(instead or {})}), "metrics")


@pytest.fixture(scope="module")
def prometheus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealPrometheus]:
    with real_prometheus(tmp_path_factory.mktemp("prometheus"), lambda _: SHOWN) as real:
        real.until("ci_jobs_queued", lambda values: values == [14])
        yield real


@pytest.mark.needs("prometheus")
async def test_the_configuration_of_the_page_works(prometheus: RealPrometheus, tmp_path: Path) -> None:
    """The queue and the wait; what this exporter lacks is called optional, and is not zero."""
    one = await found(prometheus.url, tmp_path)
    assert one.state is Level.OK
    assert "optional and without a value: " in one.text
    assert "idle" in one.text
    fine = await found(prometheus.url, tmp_path, {PRESET: QUEUED})
    assert (fine.state, fine.text) == (Level.OK, "linux.2xlarge: 14 jobs queued, longest wait unknown")


@pytest.mark.needs("prometheus")
@pytest.mark.parametrize(
    ("instead", "text", "remedy"),
    [
        ("queued = 'sum(ci_jobs_qeued)'", "no series of ci_jobs_qeued now", "check the name, and that its exporter"),
        ('preset = "ci"\nknown_as = "linux"', "Prometheus has ci_jobs_queued, but not", "correct known_as, where or"),
        ("queued = 'sum(ci_jobs_queued'", "parse error: unclosed left", "fix `queued` in [pool."),
        ("queued = 'ci_jobs_queued or ci_job_oldest_wait_seconds'", "2 series", "wrap it in sum() or max()"),
        ('preset = "gitlab"', "no query for it is configured", "add `queued`"),
    ],
)
async def test_a_figure_that_is_not_there_is_told_with_its_remedy(
    prometheus: RealPrometheus, tmp_path: Path, instead: str, text: str, remedy: str
) -> None:
    """Unknown metric, unknown pool, bad PromQL, several series, no query."""
    if "or ci_job" in instead:
        instead = instead.replace(" or ", ' or label_replace(vector(1), "a", "b", "", "") or ')
    one = await found(prometheus.url, tmp_path, {PRESET: instead})
    assert one.state is Level.PROBLEM
    assert text in one.text
    assert remedy in one.remedy


def refusing(status: int, body: object, location: str) -> AbstractAsyncContextManager[str]:
    """What stands in front of many a Prometheus: it answers everything in one way, but a good token with a figure."""

    async def endpoint(request: Request) -> Response:
        if request.headers.get("authorization") == "Bearer good-token-1":
            result = [{"metric": {}, "value": [1, "3"]}]
            return JSONResponse({"status": "success", "data": {"resultType": "vector", "result": result}})
        return JSONResponse(body, status, {"Location": location})

    return answering(endpoint)


@pytest.mark.parametrize(
    ("status", "body", "text", "remedy"),
    [
        (401, {"message": "invalid token"}, "refused the credentials (HTTP 401): invalid token", "token that [metr"),
        (403, {"message": "needs metrics:read"}, "(HTTP 403): needs metrics:read", "and its permissions"),
        (302, {}, "answered with a redirect", "configure the final address"),
        (404, {}, "HTTP 404", "fix `queued`"),
        (503, {"error": "starting"}, "failed (HTTP 503): starting", "check again in a minute"),
    ],
)
async def test_each_refusal_is_told_with_its_remedy(
    tmp_path: Path, status: int, body: object, text: str, remedy: str
) -> None:
    """A wrong token, a missing permission by its name, a wrong address, a server that starts."""
    async with refusing(status, body, "https://elsewhere.example/") as url:
        wanted = {f'url = "{URL}"': f'url = "{url}"\ntoken_env = "PROMETHEUS_TOKEN"'}
        one = only(await checked("prometheus", tmp_path, wanted, {"PROMETHEUS_TOKEN": "a-wrong-token"}), "metrics")
        fine = await checked("prometheus", tmp_path, {**wanted, PRESET: QUEUED}, {"PROMETHEUS_TOKEN": "good-token-1"})
    assert one.state is Level.PROBLEM
    assert text in one.text
    assert remedy in one.remedy
    assert "a-wrong-token" not in line_of(one)
    assert not [finding for finding in fine if text in finding.text], "a good token is answered"


async def test_a_wrong_address_is_told(tmp_path: Path) -> None:
    """The page's configuration on a machine without a Prometheus."""
    one = await found("http://127.0.0.1:9", tmp_path)
    assert "cannot be reached at 127.0.0.1:9" in one.text
    assert "the url in [metrics.prometheus]" in one.remedy


def test_every_preset_stands_on_the_page() -> None:
    text = (PAGES / "prometheus.md").read_text("utf-8")
    assert [preset for preset in PRESETS if f"| `{preset}` |" not in text] == []
