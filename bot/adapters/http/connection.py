"""Connection settings of a back end: trusted certificates and the proxy, never from the environment."""

import asyncio
import ssl
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path

import httpx

IN_FLIGHT = 10
"""Concurrent requests per host; httpx slows down with more (docs/design/measurements.md#http-clients)."""
IDLE_SECONDS = 3.0
"""A connection is kept this long: many servers close theirs after 5 s, and a request on its way then would fail."""


@dataclass(frozen=True, slots=True)
class ConnectOptions:
    """How to connect to a back end."""

    ca_file: str = ""
    """Trusted certificate authorities instead of the usual ones; the file may change at any time."""
    proxy: str = ""
    """Address of an HTTP proxy; empty for a direct connection."""
    login: str = field(default="", repr=False)
    """`user:password` for the proxy; empty: none."""
    token_file: str = ""
    """A file with a bearer token that may change at any time; empty: none."""

    async def fresh(self) -> dict[str, str]:
        """The header with the current token; empty without a file. Raises OSError or UnicodeDecodeError."""
        if not self.token_file:
            return {}
        text = await asyncio.to_thread(Path(self.token_file).read_text, "utf-8")
        return {"Authorization": f"Bearer {text.strip()}"}

    @property
    def version(self) -> int:
        """Changes with the content of `ca_file`. Raises OSError when it cannot be read."""
        return Path(self.ca_file).stat().st_mtime_ns if self.ca_file else 0

    @property
    def verify(self) -> ssl.SSLContext | bool:
        """The TLS context for certificates. Raises OSError if `ca_file` is unreadable or has no certificate."""
        return _trusting(self.ca_file, self.version) if self.ca_file else True

    @property
    def user(self) -> tuple[str, str]:
        """User name and password for the proxy; both empty without a login."""
        user, _, password = self.login.partition(":")
        return user, password


DIRECT = ConnectOptions()


@lru_cache(maxsize=16)
def _trusting(ca_file: str, _version: int) -> ssl.SSLContext:
    """One context for all clients that trust the same file, since each needs up to 2 MB."""
    return ssl.create_default_context(cafile=ca_file)


@cache
def usual() -> ssl.SSLContext:
    """The context of clients that trust the usual authorities."""
    return httpx.create_ssl_context(trust_env=False)


def transport_to(options: ConnectOptions, verify: ssl.SSLContext | bool) -> httpx.AsyncHTTPTransport:
    """Connections to one back end; `verify` is that of the options, read before."""
    proxy = httpx.Proxy(options.proxy, auth=options.user if options.login else None) if options.proxy else None
    limits = httpx.Limits(max_connections=IN_FLIGHT, max_keepalive_connections=IN_FLIGHT, keepalive_expiry=IDLE_SECONDS)
    verify = verify if options.ca_file else usual()
    return httpx.AsyncHTTPTransport(verify=verify, proxy=proxy, limits=limits, trust_env=False)
