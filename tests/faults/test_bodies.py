"""SE-4: whatever body arrives, it is refused at the limit, and the process grows by less than 20 MB at its peak."""

import zlib
from collections.abc import AsyncIterator

import pytest

from tests.faults.groups import webhook
from tests.faults.raw import forget_peak, peak, sent
from tests.faults.system import TOKEN, System

pytestmark = [pytest.mark.needs("redis-server"), pytest.mark.plan(webs=1, workers=0)]

KNOWN = f"Authorization: Bearer {TOKEN}\r\n".encode()
MIB = 1 << 20
MOST_KIB = 20 * 1024


async def times(piece: bytes, many: int) -> AsyncIterator[bytes]:
    for _ in range(many):
        yield piece


def bomb() -> bytes:
    """300 MB of nothing, as gzip: some 300 kB."""
    packer, zeros = zlib.compressobj(9, wbits=31), b"\0" * MIB
    return b"".join([*(packer.compress(zeros) for _ in range(300)), packer.flush()])


async def still_well(system: System, before: int) -> None:
    """It has not grown at any moment since, and takes alerts as ever."""
    grown = peak(system.webs[0]) - before
    assert grown < MOST_KIB, f"{grown} KiB more at the peak"
    assert (await system.send(2)).status == 200


async def test_se_4_a_hundred_megabytes_are_refused_at_the_limit(system: System) -> None:
    """Announced: refused unread. In chunks without a length: refused at 1 MiB, whatever else would come."""
    await system.send(1)
    before = forget_peak(system.webs[0])
    piece = b"x" * MIB
    assert await sent(system.webs[0], KNOWN + b"Content-Length: 104857600\r\n", times(piece, 100)) == 413
    chunk = b"100000\r\n" + piece + b"\r\n"
    assert await sent(system.webs[0], KNOWN + b"Transfer-Encoding: chunked\r\n", times(chunk, 100)) == 413
    assert await sent(system.webs[0], b"Transfer-Encoding: chunked\r\n", times(chunk, 100)) == 401
    await still_well(system, before)


async def test_se_4_a_bomb_is_never_unpacked(system: System) -> None:
    """300 kB that become 300 MB: 415 under any name of a compression, and 400 when it says nothing of one."""
    packed = bomb()
    assert 200_000 < len(packed) < 400_000
    await system.send(1)
    before = forget_peak(system.webs[0])
    length = f"Content-Length: {len(packed)}\r\n".encode()
    for name in (b"gzip", b"x-gzip", b"deflate", b"br", b"GZIP", b"identity, gzip"):
        coded = KNOWN + length + b"Content-Encoding: " + name + b"\r\n"
        assert await sent(system.webs[0], coded, times(packed, 1)) == 415, name
    for name in (b"", b"Content-Encoding: identity\r\n"):
        assert await sent(system.webs[0], KNOWN + length + name, times(packed, 1)) == 400, name
    await still_well(system, before)


async def test_se_4_a_wrong_length_is_refused_and_nothing_is_taken(system: System) -> None:
    """No number, negative, two of them, longer than what comes, shorter, both ways of framing: never taken."""
    body = webhook(1)
    lengths = {
        b"Content-Length: nonsense\r\n": 400,
        b"Content-Length: -1\r\n": 400,
        b"Content-Length: 5\r\nContent-Length: 6\r\n": 400,
        b"Content-Length: 99999999999999999999\r\n": 400,
        f"Content-Length: {len(body) + 10}\r\n".encode(): 0,
        f"Content-Length: {len(body) - 10}\r\n".encode(): 400,
        b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n": 400,
    }
    before = forget_peak(system.webs[0])
    for length, status in lengths.items():
        got = await sent(system.webs[0], KNOWN + length, times(body, 1))
        assert got in {status, 400}, (length, got)
    with system.redis.client as client:
        assert list(client.scan_iter("{tailback}:rec:inc:*")) == []
    assert "Traceback" not in system.webs[0].output()
    await still_well(system, before)
