"""What is wrong with the `[[sender]]` tables, for the start and for `tailback check`."""

from collections import Counter
from collections.abc import Iterator

from bot.config import Settings
from bot.core.external import Problem
from bot.core.words import listed
from bot.sources.registry import SOURCES

WITH_TOKEN = tuple(sorted(SOURCES.keys() - {"sns"}))
"""Sources whose senders present a token."""


def sender_problems(settings: Settings) -> Iterator[Problem]:
    """A sender without a token of its own, or with a name or source that cannot be meant."""
    tables, known = settings.file.sender, settings.sender_tokens
    for name, count in Counter(table.name for table in tables).items():
        if count > 1:
            yield Problem(f'[[sender]] "{name}": {count} senders have this name', "give each its own")
    with_token = {sender.name for _, sender in known}
    for table in tables:
        if table.name not in with_token:
            remedy = "set it to a long random value (openssl rand -hex 32), or delete this sender"
            yield Problem(f'[[sender]] "{table.name}": token_env: {table.token_env} is not set', remedy)
        for source in table.sources:
            if source not in WITH_TOKEN:
                what = f'[[sender]] "{table.name}": sources: {source!r} is not a source that uses tokens'
                yield Problem(what, f"write {listed(WITH_TOKEN)}")
    holders: dict[str, set[str]] = {token: {"TAILBACK_WEBHOOK_TOKEN"} for token in settings.env.webhook_tokens}
    for token, sender in known:
        holders.setdefault(token, set()).add(f'[[sender]] "{sender.name}"')
    for sharing in {tuple(sorted(names)) for names in holders.values() if len(names) > 1}:
        yield Problem(f"{listed(sharing)} have the same token", "give each its own (openssl rand -hex 32)")
