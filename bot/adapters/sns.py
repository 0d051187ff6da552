"""Amazon SNS: fetches signing certificates once, checks signatures, confirms subscriptions.

The addresses are checked earlier (`bot.sources.sns`): https, and SNS's own host in the topic's region.
"""

from collections.abc import Callable
from typing import TypeVar
from urllib.parse import parse_qsl, urlsplit

from bot.adapters.http.client import HttpAnswer, HttpPool
from bot.adapters.http.connection import DIRECT, ConnectOptions
from bot.ports import Failure, Refused, Unreachable

V = TypeVar("V")
Signed = Callable[[bytes, bytes, str, float], bool]
"""What `bot.adapters.certificate` reads; its library is loaded when the first one is read."""

SYSTEM = "Amazon SNS"
MOST_KEPT = 32
"""Cached certificates and failed addresses; SNS changes its certificate about once a year."""
FORGET_SECONDS = 60.0
"""How long a failed address is not tried again."""


class AmazonSns:
    """The port `Sns`. Certificates are cached per process and fetched on first use."""

    def __init__(self, wire: HttpPool, now: Callable[[], float], options: ConnectOptions = DIRECT) -> None:
        self._wire, self._now, self._options = wire, now, options
        self._known: dict[str, Signed] = {}
        self._without: dict[str, float] = {}

    async def verified(self, certificate_url: str, signed: bytes, signature: bytes, version: str) -> bool:
        """Whether the certificate's owner signed these bytes (RSA, PKCS #1 v1.5)."""
        found = self._known.get(certificate_url) or await self._fetched(certificate_url)
        return found is not None and found(signed, signature, version, self._now())

    async def confirm(self, address: str) -> None:
        """Confirm a subscription; repeating it is harmless."""
        parts = urlsplit(address)
        answer = await self._get(f"https://{parts.netloc}", parts.path or "/", dict(parse_qsl(parts.query)))
        if not answer.ok:
            raise Refused(f"{SYSTEM} did not confirm the subscription (HTTP {answer.status}): {answer.text}")

    async def _fetched(self, address: str) -> Signed | None:
        """The certificate at an address; None if it is unusable. Raises Unreachable."""
        if self._now() < self._without.get(address, 0.0):
            return None
        parts = urlsplit(address)
        answer = await self._get(f"https://{parts.netloc}", parts.path)
        from bot.adapters.certificate import read_certificate  # its library takes 8 MB, and few receive SNS

        found = read_certificate(answer.content) if answer.ok else None
        if found is None:
            _keep(self._without, address, self._now() + FORGET_SECONDS)
        else:
            _keep(self._known, address, found)
        return found

    async def _get(self, root: str, path: str, params: dict[str, str] | None = None) -> HttpAnswer:
        try:
            http = self._wire.http(SYSTEM, root, options=self._options)
        except OSError as error:
            what = f"ca_file: {self._options.ca_file} cannot be used ({error.strerror})"
            raise Unreachable(SYSTEM, what, failure=Failure.LATER) from None
        try:
            return await http.get(path, params)
        except Unreachable as error:
            if error.failure in {Failure.CREDENTIALS, Failure.PLACE}:
                return HttpAnswer(403, error.what)
            raise


def _keep(kept: dict[str, V], address: str, value: V) -> None:
    if len(kept) >= MOST_KEPT:
        del kept[next(iter(kept))]
    kept[address] = value
