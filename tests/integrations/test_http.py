"""The pages on home-grown autoscalers and on pools without a scaler: each configuration through the doctor."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from handlers.tools.doctor.findings import CheckFinding, Level
from tests.answering import answering
from tests.integrations.checking import said
from tests.integrations.scalers import scaler_finding

URL = "http://localhost:9100/pools/linux"


def autoscaler(answer: Response) -> AbstractAsyncContextManager[str]:
    """A home-grown one that knows one token and one pool."""

    async def endpoint(request: Request) -> Response:
        assert request.url.path == "/pools/linux"
        if request.headers.get("authorization") != "Bearer scaler-token-1":
            return JSONResponse({"error": "who are you?"}, 401)
        return answer if request.method == "GET" else JSONResponse({"error": "nothing was to be set"}, 500)

    return answering(endpoint)


async def found(answer: Response, folder: Path, token: str = "scaler-token-1", **instead: str) -> CheckFinding:
    """The doctor's one finding about the scaler."""
    async with autoscaler(answer) as url:
        there = {"http://localhost:9100": url, **instead}
        return await scaler_finding("http", folder, there, {"SCALER_TOKEN": token})


async def test_the_configuration_of_the_page_works(tmp_path: Path) -> None:
    """Only reading was tried."""
    one = await found(JSONResponse({"current": 10, "min": 0, "max": 40}), tmp_path)
    assert (one.state, one.text) == (Level.OK, "linux: 10 runners now, at most 40; only read access was tested")


@pytest.mark.parametrize(
    ("answer", "text", "remedy"),
    [
        (JSONResponse({"error": "not your pool"}, 403), "(HTTP 403): not your pool", "and its permissions"),
        (
            JSONResponse({"error": "no pool linux"}, 404),
            "refused reading its size (HTTP 404): no pool",
            "correct [pool",
        ),
        (JSONResponse({"size": 10}), "its answer to GET is no size", 'let it be like {"current"'),
        (JSONResponse({"error": "cloud is down"}, 502), "failed (HTTP 502): cloud is down", "check again in a minute"),
        (Response(status_code=301, headers={"Location": "/x"}), "answered with a redirect", "the final address"),
    ],
)
async def test_each_failure_is_told_with_its_remedy(tmp_path: Path, answer: Response, text: str, remedy: str) -> None:
    """Missing permission, unknown pool, another answer, trouble behind it."""
    one = await found(answer, tmp_path)
    assert one.state is Level.PROBLEM
    assert text in one.text
    assert remedy in one.remedy


async def test_a_wrong_token_and_a_wrong_address(tmp_path: Path) -> None:
    """The variable and the table are named, the token is not."""
    wrong = await found(JSONResponse({"current": 1}), tmp_path, token="another-token-1")
    assert "refused the credentials (HTTP 401): who are you?" in wrong.text
    assert 'the token that [pool."linux".scaler] names' in wrong.remedy
    assert "another-token-1" not in said(wrong)
    nowhere = await scaler_finding("http", tmp_path, {"localhost:9100": "127.0.0.1:9"}, {"SCALER_TOKEN": "x" * 20})
    assert "cannot be reached" in nowhere.text


async def test_a_lower_limit_there_is_told(tmp_path: Path) -> None:
    """What is never given is not promised."""
    one = await found(JSONResponse({"current": 10, "max": 30}), tmp_path)
    assert one.state is Level.WARNING
    assert "max is 40, but the autoscaler allows 30" in one.text


async def test_a_pool_without_a_lever_is_in_order(tmp_path: Path) -> None:
    one = await scaler_finding("none", tmp_path, {})
    assert (one.state, one.text) == (Level.OK, "macos-m1 is scaled manually")
