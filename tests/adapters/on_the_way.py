"""What may stand between Tailback and a back end, for tests: TLS by an authority of one's own, and an HTTP proxy."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

END = b"\r\n\r\n"
MOST = 65_536


@asynccontextmanager
async def serving_tls(folder: Path, body: bytes) -> AsyncIterator[tuple[str, str]]:
    """(address, file of its authority) of a server with a certificate of its own that gives one answer to all."""
    context = _certified(folder)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(END)
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0, ssl=context)
    async with server:
        yield f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}", str(folder / "ca.crt")


def _certified(folder: Path) -> ssl.SSLContext:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "back end")])
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

    answer: bytes = b"{}"
    refuses: bytes = b""
    """Status line of its own in the place of everything, such as `407 Proxy Authentication Required`."""
    heads: list[str] = field(default_factory=list)
    """What it was sent, up to the empty line."""
    tasks: list[asyncio.Task[None]] = field(default_factory=list)
    """One for each connection."""

    @property
    def lines(self) -> list[str]:
        """The request lines that it saw."""
        return [head.splitlines()[0] for head in self.heads]

    def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection."""
        self.tasks.append(asyncio.create_task(self._taken(reader, writer)))

    async def _taken(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._answered(reader, writer)
        finally:
            writer.close()

    async def _answered(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(END)
        self.heads.append(head.decode())
        if self.refuses or not head.startswith(b"CONNECT "):
            status, body = self.refuses or b"200 OK", b"" if self.refuses else self.answer
            writer.write(b"HTTP/1.1 %s\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % (status, len(body)) + body)
        else:
            await self._lead_on(head.split()[1].decode(), reader, writer)
        await writer.drain()

    async def _lead_on(self, place: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        host, _, port = place.rpartition(":")
        there, away = await asyncio.open_connection(host, int(port))
        writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        try:
            await asyncio.gather(_pumped(reader, away), _pumped(there, writer))
        finally:
            away.close()


async def _pumped(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    while data := await source.read(MOST):
        sink.write(data)
        await sink.drain()
    if sink.can_write_eof():
        sink.write_eof()


@asynccontextmanager
async def proxying(proxy: Proxy) -> AsyncIterator[str]:
    """The proxy's address."""
    server = await asyncio.start_server(proxy.take, "127.0.0.1", 0)
    async with server:
        try:
            yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        finally:
            for task in proxy.tasks:
                task.cancel()
            await asyncio.gather(*proxy.tasks, return_exceptions=True)
            await asyncio.sleep(0)
