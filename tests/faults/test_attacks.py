"""SE-1 to SE-7: what arrives from outside pings nobody, forges nothing, fills no memory and shows no secret."""

import asyncio
import json
import re
import time
from pathlib import Path

import pytest

from bot.playground.slack.delivery import sign
from tests.faults.checker import roots
from tests.faults.groups import webhook
from tests.faults.house import TOKEN, House, Plan, house
from tests.faults.servers import Process, Zygote

pytestmark = pytest.mark.needs("redis-server")

EVIL = (
    '<!channel> <!here> <@U1> <!subteam^S1> @channel #general <https://evil.example|Runbook> & \x1b[31m \r\n {"a": 1}'
)
FORGED = re.compile(r"<!channel|<!here|<@U1>|<!subteam\^S1|<https://evil\.example\|")


async def test_se_1_no_text_from_outside_pings_or_forges(zygote: Zygote, tmp_path: Path) -> None:
    """Mentions and links in every label, annotation and address: Slack receives none of them as markup."""
    body = json.loads(webhook(1))
    alert = body["alerts"][0]
    for part in ("labels", "annotations"):
        alert[part] |= dict.fromkeys(("summary", "description", "team", "priority", "odd", "message"), EVIL)
    alert |= {"generatorURL": f"https://x.example/{EVIL}", "silenceURL": EVIL, "dashboardURL": EVIL}
    body |= {"receiver": f"tailback {EVIL}", "externalURL": f"https://y.example/{EVIL}", "title": EVIL}
    async with house(zygote, tmp_path, Plan(webs=1, workers=1, pools=True)) as home:
        await home.send(1, json.dumps(body).encode())
        await home.eventually(lambda: len(roots(home)) == 1, "a thread")
        home.aim()
        await home.press(roots(home)[0].ts, "Acknowledge")
        home.aim()
        await home.slack.slash("/queue", f"status {EVIL}".replace("\r\n", " "), channel="C0CIONCALL")
        await asyncio.sleep(1)
        for call in home.stand_in.log.calls:
            assert not FORGED.search(json.dumps(call.args, ensure_ascii=False)), call.args
            assert "link_names" not in call.args
            assert call.args.get("parse") in (None, "none")


async def test_se_2_wrong_webhook_credentials_are_401_and_nothing_else(zygote: Zygote, tmp_path: Path) -> None:
    """None, wrong, empty, a prefix, a newline, non-ASCII, mixed kinds, and many tries: always the same 401."""
    async with house(zygote, tmp_path, Plan(webs=1, workers=0)) as home:
        web = home.webs[0]
        tries = [
            b"",
            b"Authorization: Bearer \r\n",
            b"Authorization: Bearer wrong\r\n",
            f"Authorization: Bearer {TOKEN[:-1]}\r\n".encode(),
            "Authorization: Bearer ünï\r\n".encode(),
            b"Authorization: Basic !!!\r\n",
            b"Authorization: Basic eDp5\r\n",
            f"Authorization: Bearer wrong\r\nAuthorization: Bearer {TOKEN}\r\n".encode(),
        ]
        answers = [await raw(web, headers) for headers in tries]
        assert {status for status, _ in answers} == {401}, answers
        assert len({text.partition("\r\n\r\n")[2] for _, text in answers}) <= 2
        many = await asyncio.gather(*(raw(web, tries[2]) for _ in range(300)))
        assert {status for status, _ in many} <= {401}
        assert (await home.send(1)).status == 200
        assert "Traceback" not in web.said()
        assert TOKEN not in web.said()


async def raw(
    web: Process, headers: bytes, body: bytes = webhook(1), path: str = "/alerts/alertmanager"
) -> tuple[int, str]:
    """One request byte by byte; gives the status, 0 when the connection was cut, and the whole answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", web.port)
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {len(body)}\r\n".encode()
    writer.write(head + headers + b"\r\n" + body)
    try:
        answer = (await asyncio.wait_for(reader.read(), 10)).decode("utf-8", "replace")
    except ConnectionError:
        answer = ""
    writer.close()
    return (int(answer.split(" ")[1]) if answer else 0), answer


async def test_se_3_wrong_slack_signatures_are_401_and_nothing_else(zygote: Zygote, tmp_path: Path) -> None:
    """Odd timestamps, odd signatures, another body's signature, six minutes off: 401, and the body is in no log."""
    now, body = str(int(time.time())), b"payload=%7B%22secret-in-body%22%3A1%7D"
    good = sign("demo-signing-secret", now, body)
    pairs = [
        ("abc", good), (f"{now}.5", good), (f"-{now}", good), ("9" * 40, good), ("", good),
        (now, ""), (now, "v0="), (now, "v0=ünï"), (now, good[:-1]), (now, good + "0"), (now, good.replace("v0", "v1")),
        (now, sign("demo-signing-secret", now, b"another body")),
        *((at, sign("demo-signing-secret", at, body)) for at in (str(int(now) - 360), str(int(now) + 360))),
    ]  # fmt: skip
    async with house(zygote, tmp_path, Plan(webs=1, workers=0)) as home:
        for stamp, signature in pairs:
            headers = f"X-Slack-Request-Timestamp: {stamp}\r\nX-Slack-Signature: {signature}\r\n".encode()
            status, _ = await raw(home.webs[0], headers, body, "/slack/events")
            assert status == 401, (stamp, signature)
        assert "secret-in-body" not in home.webs[0].said()
        assert "Traceback" not in home.webs[0].said()


async def test_se_4_big_bodies_are_refused_without_filling_memory(zygote: Zygote, tmp_path: Path) -> None:
    """100 MB announced, 20 MB in chunks, compressed, a wrong length: refused at the limit, memory stays."""
    async with house(zygote, tmp_path, Plan(webs=1, workers=0)) as home:
        web, token = home.webs[0], f"Authorization: Bearer {TOKEN}\r\n".encode()
        await home.send(1)
        before = resident(web)
        assert await sent(web, token + b"Content-Length: 104857600\r\n", b"x" * 65536, 400) == 413
        chunk = b"10000\r\n" + b"x" * 65536 + b"\r\n"
        assert await sent(web, token + b"Transfer-Encoding: chunked\r\n", chunk, 320) == 413
        gzip = token + b"Content-Encoding: gzip\r\nContent-Length: 10\r\n"
        assert await sent(web, gzip, b"x" * 10, 1) == 415
        assert await sent(web, token + b"Content-Length: nonsense\r\n", b"x", 1) == 400
        assert resident(web) - before < 20 * 1024
        assert (await home.send(2)).status == 200


async def sent(web: Process, headers: bytes, piece: bytes, times: int) -> int:
    """Send pieces of a body until the server has answered; gives the status."""
    reader, writer = await asyncio.open_connection("127.0.0.1", web.port)
    writer.write(b"POST /alerts/alertmanager HTTP/1.1\r\nHost: x\r\n" + headers + b"\r\n")
    answered = asyncio.create_task(reader.readuntil(b"\r\n"))
    try:
        for _ in range(times):
            if answered.done():
                break
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(0)
    except ConnectionError:
        await asyncio.sleep(0)
    line = await asyncio.wait_for(answered, 10)
    writer.close()
    return int(line.split(b" ")[1])


def resident(process: Process) -> int:
    """Memory of a process, in KiB."""
    text = Path(f"/proc/{process.pid}/status").read_text("utf-8")
    return int(text.partition("VmRSS:")[2].split()[0])


async def test_se_5_nothing_forges_a_line_in_the_log(zygote: Zygote, tmp_path: Path) -> None:
    """Newlines, escapes and direction marks in labels and headers: every line of the log is one JSON document."""
    async with house(zygote, tmp_path, Plan(webs=1, workers=1)) as home:
        evil = 'x\n{"level": "forged"}\r\x1b[31m\u202e'
        await home.send(1, webhook(1, labels={"team": evil, "odd": evil}))
        await home.eventually(lambda: len(roots(home)) == 1, "a thread")
        await raw(home.webs[0], b"Authorization: Bearer x\x1b[31m\r\nX-Odd: a\tb\r\n")
        async with home.http.post(
            f"http://127.0.0.1:{home.webs[0].port}/alerts/%0A%7B%22level%22", data=b"x"
        ) as answer:
            assert answer.status == 404
        for process in home.processes.values():
            for line in process.said().splitlines():
                assert json.loads(line).get("level") != "forged"
                assert "\x1b" not in line
                assert "\u202e" not in line


async def test_se_7_other_paths_and_methods_tell_nothing(zygote: Zygote, tmp_path: Path) -> None:
    """Documentation, debugging, unknown paths, odd methods: 404 or 405; metrics and readiness carry no secret."""
    async with house(zygote, tmp_path, Plan(webs=1, workers=0)) as home:
        base = f"http://127.0.0.1:{home.webs[0].port}"
        for path in ("/docs", "/redoc", "/openapi.json", "/debug", "/.env", "/..%2f..%2fetc/passwd", "/api/v1", "/"):
            assert await status(home, "GET", base + path) == 404, path
        for method in ("TRACE", "PUT", "DELETE", "PATCH"):
            assert await status(home, method, f"{base}/alerts/alertmanager") == 405, method
        for path in ("/metrics", "/readyz", "/healthz"):
            text = await home.page(path)
            for secret in (TOKEN, "xoxb-demo", "demo-signing-secret", "Traceback"):
                assert secret not in text, (path, secret)


async def status(home: House, method: str, url: str) -> int:
    """The status of one request."""
    async with home.http.request(method, url) as answer:
        return answer.status
