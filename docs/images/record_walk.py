"""Records the walk of the README: `.venv/bin/python docs/images/record_walk.py`.

A visitor follows the tour of the default story in the demo, from its address to the drained queue, in about two
minutes. Each step is one frame of walk.png, an animated PNG. Needs what take_screenshots.py needs.
"""

import asyncio
import struct
import sys
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from bot.playground.fleet.scenarios import DEFAULT, SCENARIOS  # noqa: E402 - the root is found first
from tests.journeys.demo import opened_demo  # noqa: E402
from tests.journeys.visitor import Visitor, opened_browser, opened_page  # noqa: E402

PICTURE = Path(__file__).with_name("walk.png")
WIDTH, HEIGHT = 1180, 680
SETTLE_SECONDS = 1.0
"""So that a frame shows what the step before has changed."""
FRAME_MS, LAST_MS = 1800, 5000
STILL = 1
"""The frame with the first message."""
MOST_BYTES = 1_500_000
SIGNATURE = b"\x89PNG\r\n\x1a\n"


async def record() -> list[bytes]:
    """The frames, as PNG."""
    frames: list[bytes] = []
    async with (
        opened_demo(SCENARIOS[DEFAULT]) as demo,
        opened_browser() as chromium,
        opened_page(chromium, demo, WIDTH, HEIGHT) as page,
    ):

        async def seen(_: str) -> None:
            await asyncio.sleep(SETTLE_SECONDS)
            frames.append(await page.screenshot())

        await Visitor(page, seen).follow()
    return frames


def animated(frames: list[bytes]) -> bytes:
    """One animated PNG; the frames have the same size and colors (www.w3.org/TR/png-3, APNG).

    A viewer that cannot animate shows STILL, and not the empty channel with which the walk begins.
    """
    head = dict(_chunks(frames[0]))[b"IHDR"]
    out = [SIGNATURE, _chunk(b"IHDR", head), _chunk(b"acTL", struct.pack(">II", len(frames), 0))]
    out.append(_chunk(b"IDAT", _packed(frames[STILL])))
    number = 0
    for index, frame in enumerate(frames):
        pause = LAST_MS if index == len(frames) - 1 else FRAME_MS
        control = struct.pack(">IIIIIHHBB", number, WIDTH, HEIGHT, 0, 0, pause, 1000, 0, 0)
        out.append(_chunk(b"fcTL", control))
        out.append(_chunk(b"fdAT", struct.pack(">I", number + 1) + _packed(frame)))
        number += 2
    return b"".join([*out, _chunk(b"IEND", b"")])


def _packed(frame: bytes) -> bytes:
    """Its pixels, as small as can be."""
    data = b"".join(body for kind, body in _chunks(frame) if kind == b"IDAT")
    return zlib.compress(zlib.decompress(data), 9)


def _chunks(picture: bytes) -> list[tuple[bytes, bytes]]:
    found, at = [], len(SIGNATURE)
    while at < len(picture):
        (length,) = struct.unpack_from(">I", picture, at)
        found.append((picture[at + 4 : at + 8], picture[at + 8 : at + 8 + length]))
        at += 12 + length
    return found


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


if __name__ == "__main__":
    made = animated(asyncio.run(record()))
    if len(made) > MOST_BYTES:
        raise SystemExit(f"walk.png has {len(made):,} bytes, and {MOST_BYTES:,} are the most; take a smaller window")
    PICTURE.write_bytes(made)
    sys.stdout.write(f"{PICTURE.relative_to(ROOT)}: {len(made):,} bytes\n")
