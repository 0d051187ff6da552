"""The `http` scaler: the fake and the real one keep the same promises, and every answer has its meaning."""

import pytest

from bot.adapters.scalers.http import build
from bot.ports import Capacity, Refused, Scaler, Unreachable
from tests.adapters.back_end import URL, BackEnd

PLACE = '[pool."linux.2xlarge".scaler]'
TABLE = {"kind": "http", "url": f"{URL}/pools/linux.2xlarge", "max": 40}


def pool_scaler(back: BackEnd, **more: object) -> Scaler:
    return build("linux.2xlarge", PLACE, {**TABLE, **more}, back.parts(TOKEN="secret-token"))[0]


async def test_the_request_is_as_documented() -> None:
    back = BackEnd().says(204, b"")
    await pool_scaler(back, token_env="TOKEN").set(24, "act-1")
    request = back.requests[0]
    assert (request.method, request.path, request.body) == ("PUT", "/pools/linux.2xlarge", {"desired": 24})
    assert (request.headers["idempotency-key"], request.headers["authorization"]) == ("act-1", "Bearer secret-token")


@pytest.mark.parametrize("status", [400, 404, 409, 422])
async def test_a_definite_no_is_a_refusal(status: int) -> None:
    with pytest.raises(Refused, match=f"HTTP {status}.*instance type is out of stock"):
        await pool_scaler(BackEnd().says(status, {"error": "instance type is out of stock"})).set(24, "act-1")


@pytest.mark.parametrize("body", [[], {"min": 1}, {"current": "10"}, {"current": True}, {"current": -1}, b"ten"])
async def test_a_size_that_cannot_be_read_is_no_size(body: object) -> None:
    with pytest.raises(Unreachable, match='"current": 10'):
        await pool_scaler(BackEnd().says(200, body)).read()


async def test_missing_limits_are_unknown() -> None:
    assert await pool_scaler(BackEnd().says(200, {"current": 10.0})).read() == Capacity(10)
