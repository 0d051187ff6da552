"""Where the tools read: in this process for one client, or from a running installation."""

from collections.abc import Mapping
from typing import Protocol

from pydantic import TypeAdapter

from handlers.api.endpoints import ENDPOINTS, ID, NAME
from handlers.api.reading import Reading

PATH = "/mcp"
_BY_OPERATION = {one.operation: one for one in ENDPOINTS}
Query = Mapping[str, str | int]


class Reads(Protocol):
    """Reads one object of the API."""

    async def read(self, operation: str, named: tuple[str, ...] = (), query: Query | None = None) -> object:
        """The object; raises ApiRefused, Refused or Unreachable."""


class LocalReads:
    """The reads of one client in this process."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading

    async def read(self, operation: str, named: tuple[str, ...] = (), query: Query | None = None) -> object:
        endpoint = _BY_OPERATION[operation]
        given = endpoint.given([(name, str(value)) for name, value in (query or {}).items()])
        return await endpoint.read(self._reading, *named, **given)


class Asks(Protocol):
    """A client of the API."""

    async def get(self, *path: str, **query: str | int) -> Mapping[str, object]:
        """One object; raises Refused or Unreachable."""


class RemoteReads:
    """The same from a running installation."""

    def __init__(self, api: Asks) -> None:
        self._api = api

    async def read(self, operation: str, named: tuple[str, ...] = (), query: Query | None = None) -> object:
        endpoint, names = _BY_OPERATION[operation], iter(named)
        path = [next(names) if part in {NAME, ID} else part for part in endpoint.path]
        found = await self._api.get(*path, **(query or {}))
        return TypeAdapter(endpoint.answers).validate_python(found)
