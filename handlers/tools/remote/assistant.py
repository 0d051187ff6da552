"""`tailback mcp`: the tools over standard input and output, with a running installation behind them."""

from bot.config import environment
from handlers.mcp.reads import RemoteReads
from handlers.mcp.tools import tool_server
from handlers.tools.send import home
from handlers.wiring_tools import running_api


async def serve_tools() -> None:
    env = environment()
    async with running_api(env, home(env)) as api:
        reads = RemoteReads(api)
        await tool_server(lambda: reads).run_stdio_async()
