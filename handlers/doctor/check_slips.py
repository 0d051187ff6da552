"""Checks for slips of the pen: settings that are valid, and surely not what was meant."""

from collections.abc import Iterator, Mapping
from difflib import get_close_matches

from bot.config import Environment, Settings
from handlers.doctor.findings import CheckFinding, problem, warning

OWN = "TAILBACK_"
"""Begins the variables that nobody else reads."""
CLIENTS = frozenset({"TAILBACK_URL", "TAILBACK_API_TOKEN"})
"""Variables of the commands that ask a running installation."""


def swapped(settings: Settings) -> CheckFinding | None:
    """Two tokens in one another's place; each alone would be called wrong without that."""
    bot, app = (getattr(settings.env, name).get_secret_value() for name in ("slack_bot_token", "slack_app_token"))
    if not (bot.startswith("xapp-") and app.startswith("xoxb-")):
        return None
    sentence = "SLACK_BOT_TOKEN and SLACK_APP_TOKEN hold one another's token"
    return problem("environment", sentence, "swap the two values: xoxb-… is the bot token, xapp-… the app-level token")


def misspelt(settings: Settings) -> Iterator[CheckFinding]:
    """Variables that look like ours and that nothing reads."""
    known = {name.upper() for name in Environment.model_fields} | CLIENTS
    named = set(_named(settings.file.model_dump()))
    for name in sorted(set(settings.variables) - known - named):
        if name.startswith(OWN):
            near = get_close_matches(name, sorted(known), 1)
            remedy = f"write {near[0]}" if near else "remove it, or name it in tailback.toml"
            yield warning("environment", f"Nothing reads the variable {name}", remedy)


def _named(value: object) -> Iterator[str]:
    """Every text in the configuration: some of them name variables."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list | tuple):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from _named(part)


def needless(settings: Settings) -> Iterator[CheckFinding]:
    """Approvals that can never be asked for."""
    for name, pool in settings.file.pool.items():
        above, most = (pool.scaler.get(key) for key in ("approval_above", "max"))
        if isinstance(above, int) and isinstance(most, int) and above > most:
            never = f"{name}: no scale-up ever needs a second person: approval_above is {above:,}, and max is {most:,}"
            yield warning("configuration", never, f'lower approval_above in [pool."{name}".scaler]')
