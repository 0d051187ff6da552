"""SE-2, SE-6: who may send, how secrets are changed under way, and who could read the records."""

import asyncio
import os
import statistics
import time
from asyncio.subprocess import PIPE, STDOUT
from pathlib import Path

import pytest

from tests.faults.conftest import LONG
from tests.faults.groups import webhook
from tests.faults.raw import raw
from tests.faults.servers import Process
from tests.faults.system import TOKEN, System

pytestmark = pytest.mark.needs("redis-server")

WRONG = f"Authorization: Bearer {TOKEN[:-1]}\r\n".encode()
TRIES = [
    b"",
    b"Authorization: Bearer \r\n",
    b"Authorization: Bearer wrong\r\n",
    WRONG,
    f"Authorization: Bearer {TOKEN}x\r\n".encode(),
    "Authorization: Bearer ünï\r\n".encode(),
    b"Authorization: Bearer \xff\xfe\r\n",
    b"Authorization: Basic !!!\r\n",
    b"Authorization: Basic eDp5\r\n",
    f"Authorization: Basic {TOKEN}\r\n".encode(),
    f"Authorization: Bearer wrong\r\nAuthorization: Bearer {TOKEN}\r\n".encode(),
    f"Authorization: Bearer {TOKEN}\r\nAuthorization: Basic eDp5\r\n".encode(),
]
MANY = 1_500
"""Guesses; in the long form 10,000."""
AT_ONCE = 100
"""Connections of the guesser; more than answers are held back at a time."""


@pytest.mark.plan(webs=1, workers=0)
async def test_se_2_wrong_webhook_credentials_are_401_and_nothing_else(system: System) -> None:
    """None, wrong, empty, a prefix, more than the token, non-ASCII, mixed kinds: always the same 401."""
    web = system.webs[0]
    answers = [await raw(web, headers) for headers in TRIES]
    assert {status for status, _ in answers} == {401}, answers
    assert len({text.partition("\r\n\r\n")[2] for _, text in answers}) == 1
    for folded in (f"Authorization: Bearer {TOKEN}\n\r\n", f"Authorization: Bearer {TOKEN}\r\n x\r\n"):
        status, _ = await raw(web, folded.encode())
        assert status in {400, 401}, folded
    assert "Traceback" not in web.output()
    assert TOKEN not in web.output()


@pytest.mark.plan(webs=1, workers=0)
async def test_se_2_thousands_of_guesses_slow_down_the_guesser_alone(system: System, rounds: int) -> None:
    """401 for each; a sender with the token, and a stranger from another address, are answered at once meanwhile."""
    many = 10_000 if rounds >= LONG else MANY
    web, left, seen = system.webs[0], [many], set[int]()
    guessing, waited, good = list[float](), list[float](), list[float]()

    async def guess() -> None:
        while left[0] > 0:
            left[0] -= 1
            begun = time.monotonic()
            seen.add((await raw(web, WRONG))[0])
            guessing.append(time.monotonic() - begun)

    guessers = [asyncio.create_task(guess()) for _ in range(AT_ONCE)]
    await system.eventually(lambda: left[0] < many - 2 * AT_ONCE, "the guesser is known by now")
    for _ in range(5):
        begun = time.monotonic()
        assert (await raw(web, WRONG, source="127.0.0.2"))[0] == 401
        waited.append(time.monotonic() - begun)
    while left[0] > 0:
        sent = await system.send(len(good), webhook(len(good)))
        assert sent.status == 200
        good.append(sent.seconds)
        await asyncio.sleep(0.2)
    await asyncio.gather(*guessers)
    assert seen == {401}
    held = [seconds for seconds in guessing if seconds >= 1.0]
    assert len(held) > 10, "the guesser waits for answers"
    assert min(waited) < max(held), "a stranger from elsewhere is not slowed down"
    assert statistics.median(good) < max(held), good
    assert "Traceback" not in web.output()


@pytest.mark.plan(webs=3, workers=0, start=False)
async def test_se_2_a_secret_is_changed_under_way_and_no_sender_is_refused(system: System) -> None:
    """Webs with the old one, then with both, then with the new one alone; the sender changes in between."""
    old, new = "old-" + "a" * 32, "new-" + "b" * 32
    before, between, after = system.webs
    for web, tokens in ((before, old), (between, f"{old},{new}"), (after, new)):
        web.env["TAILBACK_WEBHOOK_TOKEN"] = tokens
    await system.start([before])
    assert await taken(before, old, 1) == 200
    assert await taken(before, new, 2) == 401
    await system.start([between])
    assert [await taken(between, token, 3 + at) for at, token in enumerate((old, new, f"{old},{new}"))] == [
        *(200, 200, 401)
    ]
    before.kill()
    await system.start([after])
    between.kill()
    assert await taken(after, new, 6) == 200
    assert await taken(after, old, 7) == 401
    with system.redis.client as client:
        assert len(list(client.scan_iter("{tailback}:rec:inc:*"))) == 4


async def taken(web: Process, token: str, group: int) -> int:
    status, _ = await raw(web, f"Authorization: Bearer {token}\r\n".encode(), webhook(group))
    return status


@pytest.mark.plan(webs=1, workers=1)
async def test_se_6_a_network_redis_without_password_or_tls_is_warned_of_at_the_start(system: System) -> None:
    """By web and worker, in the log, each with its remedy; on this machine there is nothing to warn of."""
    for process in system.processes.values():
        assert "redis can be reached by others" not in process.output()
        process.kill()
        process.env["REDIS_URL"] = "redis://redis.invalid:6379/0"
        process.start()
    for process in system.processes.values():
        assert await process.ended() == 1
        output = process.new_output()
        assert "Anybody who reaches redis.invalid can change records: REDIS_URL has no password" in output
        assert "The connection to redis.invalid is not encrypted" in output
        assert "use rediss://" in output


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another user")
@pytest.mark.plan(webs=0, workers=0)
async def test_se_6_another_user_of_the_machine_is_not_let_in(system: System, tmp_path: Path) -> None:
    """Even one who knows where the socket is."""
    socket = await embedded(system, tmp_path / "data")
    command = ["redis-cli", "-s", str(socket), "PING"]
    for user, heard in ((0, b"PONG"), (65534, b"Permission denied")):
        knock = await asyncio.create_subprocess_exec(*command, user=user, stdout=PIPE, stderr=STDOUT, cwd="/")
        output, _ = await knock.communicate()
        assert heard in output, output


async def embedded(system: System, data: Path) -> Path:
    """`tailback run` without REDIS_URL; where its server listens."""
    process = await system.build("run1")
    process.env |= {"REDIS_URL": "", "TAILBACK_DATA": str(data), "PORT": "0"}
    await system.start([process])
    return Path((data / "socket").read_text("utf-8").strip())
