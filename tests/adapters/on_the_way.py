"""What may stand between Tailback and a back end, for tests: TLS by an authority of one's own, and an HTTP proxy."""

import asyncio
import base64
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.answering import Listeners, joined

END = b"\r\n\r\n"


@asynccontextmanager
async def serving_tls(folder: Path, body: bytes) -> AsyncIterator[tuple[str, str]]:
    """(address, file of its authority) of a server with a certificate of its own that gives one answer to all."""
    context = _certified(folder)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(END)
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        await writer.drain()

    async with Listeners() as listeners:
        yield f"https://127.0.0.1:{await listeners.listen(answer, ssl=context)}", str(folder / "ca.crt")


@asynccontextmanager
async def in_tls(folder: Path, url: str) -> AsyncIterator[tuple[str, str]]:
    """(address, file of its authority) of a server that speaks TLS and leads on to the one at `url`, which does not."""
    there = urlsplit(url)

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await _led_on(there.hostname or "", there.port or 0, reader, writer)

    async with Listeners() as listeners:
        yield f"https://127.0.0.1:{await listeners.listen(take, ssl=_certified(folder))}", str(folder / "ca.crt")


def _certified(folder: Path) -> ssl.SSLContext:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, folder.name)])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    plain = serialization.NoEncryption()
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
    (folder / "ca.crt").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    (folder / "key.pem").write_bytes(pem)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(folder / "ca.crt", folder / "key.pem")
    return context


@dataclass(slots=True)
class Proxy:
    """An HTTP proxy that leads to its `answer` for plain HTTP, and on to the back end for CONNECT."""

    answer: bytes | None = b"{}"
    """None: plain HTTP is led on to the back end as well, a websocket's among it."""
    login: str = ""
    """`user:password` that it wants to be told; empty: it lets everybody through."""
    refuses: bytes = b""
    """Status line of its own in the place of everything, such as `407 Proxy Authentication Required`."""
    heads: list[str] = field(default_factory=list)
    """What it was sent, up to the empty line."""

    @property
    def lines(self) -> list[str]:
        return [head.splitlines()[0] for head in self.heads]

    async def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(END)
        self.heads.append(head.decode())
        refuses = self.refuses or (b"" if self._knows(head.decode()) else b"407 Proxy Authentication Required")
        if refuses or (self.answer is not None and not head.startswith(b"CONNECT ")):
            status, body = refuses or b"200 OK", b"" if refuses else self.answer or b""
            writer.write(b"HTTP/1.1 %s\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % (status, len(body)) + body)
            await writer.drain()
        elif head.startswith(b"CONNECT "):
            host, _, port = head.split()[1].decode().rpartition(":")
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            await _led_on(host, int(port), reader, writer)
        else:
            there = urlsplit(head.split()[1].decode())
            await _led_on(there.hostname or "", there.port or 80, reader, writer, _passed_on(head.decode()))

    def _knows(self, head: str) -> bool:
        right = base64.b64encode(self.login.encode()).decode()
        return not self.login or f"proxy-authorization: basic {right}".lower() in head.lower()


def _passed_on(head: str) -> bytes:
    """A request as the back end gets it: the path alone, nothing for the proxy, and one request on a connection."""
    first, *lines = head.removesuffix("\r\n\r\n").split("\r\n")
    method, address, version = first.split()
    there = urlsplit(address)
    path = (there.path or "/") + (f"?{there.query}" if there.query else "")
    kept = [line for line in lines if not line.lower().startswith("proxy-")]
    if not any(line.lower().startswith("upgrade:") for line in kept):
        kept = [*(line for line in kept if not line.lower().startswith("connection:")), "Connection: close"]
    return "\r\n".join([f"{method} {path} {version}", *kept, "", ""]).encode()


async def _led_on(
    host: str, port: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, first: bytes = b""
) -> None:
    there = await asyncio.open_connection(host, port)
    there[1].write(first)
    try:
        await joined((reader, writer), there)
    finally:
        there[1].close()
        writer.close()


@asynccontextmanager
async def proxying(proxy: Proxy) -> AsyncIterator[str]:
    async with Listeners() as listeners:
        yield f"http://127.0.0.1:{await listeners.listen(proxy.take)}"
