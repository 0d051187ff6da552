"""The protocol's own conformance tool against the tools for assistants: `python -m tests.conformance`.

Needs npx; the tool and its Node come from npm. A proxy adds the token, because the tool knows none.
"""

import asyncio
import sys

import httpx
from starlette.requests import Request
from starlette.responses import Response

from tests.answering import answering
from tests.handlers.api.conftest import OPEN_TOKEN, bearer, with_api
from tests.patience import PATIENCE_SECONDS

TOOL = ("npx", "--yes", "-p", "node@22", "-p", "@modelcontextprotocol/conformance@0.1.16", "conformance", "server")
SCENARIOS = ("server-initialize", "ping", "tools-list", "dns-rebinding-protection")
PASSED_ON = ("host", "origin", "accept", "content-type", "mcp-protocol-version", "mcp-method", "mcp-name")


async def main() -> int:
    """Run each scenario; 1 when one fails."""
    patient = httpx.AsyncClient(timeout=PATIENCE_SECONDS)  # the first call loads the library of the tools
    async with with_api() as api, api.process() as address, patient as client:
        await api.world.opens()

        async def add_token(request: Request) -> Response:
            headers = {name: value for name, value in request.headers.items() if name in PASSED_ON}
            sent = {**headers, **bearer(OPEN_TOKEN)}
            given = await client.request(
                request.method, f"{address}{request.url.path}", content=await request.body(), headers=sent
            )
            return Response(given.content, given.status_code, media_type=given.headers.get("content-type"))

        async with answering(add_token) as proxy:
            return max([await run(proxy, one) for one in SCENARIOS])


async def run(proxy: str, scenario: str) -> int:
    """One scenario by the tool, which prints what it finds."""
    ran = await asyncio.create_subprocess_exec(*TOOL, "--url", f"{proxy}/mcp", "--scenario", scenario)
    return await ran.wait()


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
