"""`tailback restored`: prepares the records of a backup for the first start."""

from bot.config import ConfigError, Settings
from bot.core.words import count
from bot.maintenance.restored_backup import restored
from handlers.run import required
from handlers.wiring import opened


async def after_restoring(settings: Settings) -> str:
    """One line that says what was done.

    Raises ConfigError, Refused when a channel cannot be read, and Unreachable when Slack or Redis does not answer.
    """
    if problems := required(settings, web=False):
        raise ConfigError(problems)
    async with opened(settings) as runtime:
        if unsafe := await runtime.store.adopt():
            raise ConfigError(ConfigError(unsafe).at("REDIS_URL"))
        runtime.clock.follow(await runtime.store.time())
        channels = await restored(runtime.context)
    searched = count(len(channels), "channel")
    return f"Ready to start. Searched {searched} for newer threads. Every request made before now will be refused."
