"""SE-3, SE-5, SE-7: what arrives from outside is not believed, forges nothing and is shown no secret."""

import json
import time

import pytest

from bot.playground.slack.delivery.delivery import sign
from tests.faults.groups import webhook
from tests.faults.raw import raw
from tests.faults.system import TOKEN, System

pytestmark = pytest.mark.needs("redis-server")


@pytest.mark.plan(webs=1, workers=0)
async def test_se_3_wrong_slack_signatures_are_401_and_nothing_else(system: System) -> None:
    """Odd timestamps, odd signatures, another body's signature, six minutes off: 401, and the body is in no log."""
    now, body = str(int(time.time())), b"payload=%7B%22secret-in-body%22%3A1%7D"
    good = sign("demo-signing-secret", now, body)
    pairs = [
        ("abc", good), (f"{now}.5", good), (f"-{now}", good), ("9" * 40, good), ("", good),
        (now, ""), (now, "v0="), (now, "v0=ünï"), (now, good[:-1]), (now, good + "0"), (now, good.replace("v0", "v1")),
        (now, sign("demo-signing-secret", now, b"another body")),
        *((at, sign("demo-signing-secret", at, body)) for at in (str(int(now) - 360), str(int(now) + 360))),
    ]  # fmt: skip
    for stamp, signature in pairs:
        headers = f"X-Slack-Request-Timestamp: {stamp}\r\nX-Slack-Signature: {signature}\r\n".encode()
        status, _ = await raw(system.webs[0], headers, body, "/slack/events")
        assert status == 401, (stamp, signature)
    assert "secret-in-body" not in system.webs[0].output()
    assert "Traceback" not in system.webs[0].output()


@pytest.mark.plan(webs=1, workers=1)
async def test_se_5_nothing_forges_a_line_in_the_log(system: System) -> None:
    """Newlines, escapes and direction marks in labels and headers: every line of the log is one JSON document."""
    evil = 'x\n{"level": "forged"}\r\x1b[31m\u202e'
    await system.opened(1, webhook(1, labels={"team": evil, "odd": evil}))
    await raw(system.webs[0], b"Authorization: Bearer x\x1b[31m\r\nX-Odd: a\tb\r\n")
    async with system.http.post(
        f"http://127.0.0.1:{system.webs[0].port}/alerts/%0A%7B%22level%22", data=b"x"
    ) as answer:
        assert answer.status == 404
    for process in system.processes.values():
        for line in process.output().splitlines():
            assert json.loads(line).get("level") != "forged"
            assert "\x1b" not in line
            assert "\u202e" not in line


@pytest.mark.plan(webs=1, workers=0)
async def test_se_7_other_paths_and_methods_tell_nothing(system: System) -> None:
    """Documentation, debugging, unknown paths, odd methods: 404 or 405; metrics and readiness carry no secret."""
    base = f"http://127.0.0.1:{system.webs[0].port}"
    for path in ("/docs", "/redoc", "/openapi.json", "/debug", "/.env", "/..%2f..%2fetc/passwd", "/api/v1", "/"):
        assert await status(system, "GET", base + path) == 404, path
    for method in ("TRACE", "PUT", "DELETE", "PATCH"):
        assert await status(system, method, f"{base}/alerts/alertmanager") == 405, method
    for path in ("/metrics", "/readyz", "/healthz"):
        text = await system.page(path)
        for secret in (TOKEN, "xoxb-demo", "demo-signing-secret", "Traceback"):
            assert secret not in text, (path, secret)


async def status(system: System, method: str, url: str) -> int:
    async with system.http.request(method, url) as answer:
        return answer.status
