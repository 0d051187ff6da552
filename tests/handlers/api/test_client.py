"""The client of the API that commands use, against a real server."""

import pytest

from bot.config import Environment
from bot.ports import Refused, Unreachable
from handlers.wiring_tools import running_api
from tests.builders import POOL
from tests.handlers.api.conftest import OPEN_TOKEN, with_api
from tests.ports import free_port


async def test_commands_read_what_the_api_tells() -> None:
    """At TAILBACK_URL with TAILBACK_API_TOKEN; a name may hold a slash, and a refusal is the API's own sentence."""
    async with with_api(pool={POOL: {}, "team/linux": {}}) as api, api.process() as address:
        env = Environment.model_validate({"tailback_url": f"{address}/", "tailback_api_token": OPEN_TOKEN})
        async with running_api(env, "http://127.0.0.1:1") as client:
            assert (await client.get("pools", "team/linux"))["name"] == "team/linux"
            assert len(await client.get("incidents", pool=POOL, limit=5, cursor="")) == 2
            with pytest.raises(Refused, match="There is no such pool"):
                await client.get("pools", "nothing")
            with pytest.raises(Refused, match="limit: must be a whole number from 1 to 200"):
                await client.get("pools", limit=0)
        async with running_api(Environment(), address) as client:
            with pytest.raises(Refused, match="set TAILBACK_API_TOKEN"):
                await client.get("pools")


async def test_a_tailback_that_is_not_there_is_named() -> None:
    async with running_api(Environment(), f"http://127.0.0.1:{free_port()}") as client:
        with pytest.raises(Unreachable, match="cannot be reached at"):
            await client.get("pools")
