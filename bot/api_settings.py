"""`[api]`: where the API is reached, and the tokens of its clients."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import AfterValidator, Field

from bot.settings import Table, WrongSetting, web_address


def _origin(given: str) -> str:
    """Scheme, host and port; the paths of the API are fixed."""
    url = web_address(given, "https://tailback.example.com")
    if "@" in url.netloc:
        raise WrongSetting("must not carry a name and password", "remove them; clients send a token")
    if url.path.strip("/") or url.query or url.fragment:
        raise WrongSetting("must end with the host or port", "remove the path; it is always /api/v1")
    return f"{url.scheme}://{url.netloc}"


@dataclass(frozen=True, slots=True)
class ApiClient:
    """Who asks the API, and the private channels that it may read of; public ones are for everybody."""

    name: str
    channels: frozenset[str] = frozenset()


class ApiTokenTable(Table):
    """One client of `[api]`, with a token of its own."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")
    token_env: str = Field(min_length=1)
    """Names the variable with the token; two comma-separated values are both valid, for rotation."""
    channels: list[str] = Field(default_factory=list)
    """Private channels that it may read of; empty: what belongs to public channels only."""


class ApiTable(Table):
    """`[api]`; without it there is no API, and no tools for assistants."""

    url: Annotated[str, AfterValidator(_origin)]
    """The public address, without a path."""
    tokens: list[ApiTokenTable] = Field(min_length=1)
