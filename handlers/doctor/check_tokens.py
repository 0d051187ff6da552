"""Checks the tokens of senders and of clients of the API: each has a name and a token of its own."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.config import VARIABLE, Settings
from bot.core.external import Problem
from bot.core.words import listed
from bot.sources.registry import SOURCES

WITH_TOKEN = tuple(sorted(SOURCES.keys() - {"sns"}))
"""Sources whose senders present a token."""


@dataclass(frozen=True, slots=True)
class TokenHolder:
    """A `[[sender]]`, or a client of `[api]`."""

    table: str
    name: str
    token_env: str

    def __str__(self) -> str:
        return f'{self.table} "{self.name}"'


def token_problems(settings: Settings) -> Iterator[Problem]:
    """Holders without a token of their own, or with a name or source that cannot be meant."""
    file = settings.file
    clients = [TokenHolder("[api]", one.name, one.token_env) for one in (file.api.tokens if file.api else ())]
    senders = [TokenHolder("[[sender]]", one.name, one.token_env) for one in file.sender]
    for holders, known in ((senders, settings.sender_tokens), (clients, settings.api_tokens)):
        yield from _unnamed(holders, {each.name for _, each in known})
    for table in file.sender:
        for source in table.sources:
            if source not in WITH_TOKEN:
                what = f'[[sender]] "{table.name}": sources: {source!r} is not a source that uses tokens'
                yield Problem(what, f"write {listed(WITH_TOKEN)}")
    holding: dict[str, set[str]] = {token: {"TAILBACK_WEBHOOK_TOKEN"} for token in settings.env.webhook_tokens}
    for token, sender in settings.sender_tokens:
        holding.setdefault(token, set()).add(f'[[sender]] "{sender.name}"')
    for token, client in settings.api_tokens:
        holding.setdefault(token, set()).add(f'[api] "{client.name}"')
    for sharing in {tuple(sorted(names)) for names in holding.values() if len(names) > 1}:
        yield Problem(f"{listed(sharing)} have the same token", "give each its own (openssl rand -hex 32)")


def _unnamed(holders: Sequence[TokenHolder], with_token: set[str]) -> Iterator[Problem]:
    for holder, count in Counter(str(one) for one in holders).items():
        if count > 1:
            yield Problem(f"{holder}: {count} tables have this name", "give each its own")
    for one in holders:
        if one.name not in with_token:
            remedy = "set it to a long random value (openssl rand -hex 32), or delete this table"
            variable = one.token_env if VARIABLE.fullmatch(one.token_env) else "the variable"
            yield Problem(f"{one}: token_env: {variable} is not set", remedy)
