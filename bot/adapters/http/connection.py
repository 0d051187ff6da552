"""The way to a back end: whose certificates are believed, and the proxy in between; never by the environment's word."""

import asyncio
import ssl
from dataclasses import dataclass, field
from pathlib import Path

import httpx


@dataclass(frozen=True, slots=True)
class Way:
    """How the connections to a back end are made."""

    ca_file: str = ""
    """Certificate authorities to believe instead of the usual ones; it may be replaced while we run."""
    proxy: str = ""
    """Address of an HTTP proxy; empty: the back end is spoken to directly."""
    login: str = field(default="", repr=False)
    """`user:password` for the proxy; empty: none."""
    token_file: str = ""
    """Holds a bearer token that somebody renews while we run; empty: none."""

    async def fresh(self) -> dict[str, str]:
        """The header with the token as it is now; empty without a file. Raises OSError or UnicodeDecodeError."""
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
        """What a certificate is judged by. Raises OSError when `ca_file` cannot be read or holds no certificate."""
        return ssl.create_default_context(cafile=self.ca_file) if self.ca_file else True

    @property
    def trouble(self) -> str:
        """Why `ca_file` cannot be used, with the remedy; empty when it can."""
        try:
            _ = self.verify
        except OSError as error:
            why = "it holds no certificate" if isinstance(error, ssl.SSLError) else error.strerror
            remedy = "name a file with certificates in PEM that Tailback's user may read"
            return f"{self.ca_file} cannot be used ({why}); {remedy}"
        return ""

    @property
    def through(self) -> httpx.Proxy | None:
        """The proxy, and what it is told about us; None without one."""
        if not self.proxy:
            return None
        return httpx.Proxy(self.proxy, auth=self.user if self.login else None)

    @property
    def user(self) -> tuple[str, str]:
        """The name and the password for the proxy; both empty without a login."""
        user, _, password = self.login.partition(":")
        return user, password

    @property
    def told(self) -> str:
        """The proxy in words, to stand after the name of a host; empty without one."""
        return f" through the proxy {httpx.URL(self.proxy).netloc.decode()}" if self.proxy else ""


DIRECT = Way()
