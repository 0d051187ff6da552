"""SE-1: no text from outside pings anybody or forges a link, wherever it comes in and wherever it is shown."""

import json
import re
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest

from bot.playground.fleet.api.wire import written
from tests.faults.checker import roots
from tests.faults.ends import POOL
from tests.faults.groups import webhook
from tests.faults.system import System
from tests.faults.test_clicks import diagnoses

pytestmark = pytest.mark.needs("redis-server")

EVIL = (
    "<!channel> <!here> <!everyone> <@U1> <!subteam^S1> @channel @here #general <https://evil.example|Runbook> "
    '<#C1> & \x1b[31m \r\n {"a": 1}'
)
OURS = re.compile(
    r"<(?:@U0(?:ANA|BEN|TAILBACK)|!date\^\d+\^[^|<>]*\|[^|<>]*"
    r"|https?://(?:x\.example|y\.example|prometheus\.example|127\.0\.0\.1:\d+|[a-z-]+\.slack\.[a-z]+)[^|<>\s]*\|[^|<>]*)>"
)
"""All that the bot itself writes in angle brackets: people of this workspace, times, links that an alert may carry."""
PING = re.compile(r"@(?:channel|here|everyone)\b")


def texts(value: object, kind: str = "") -> Iterator[tuple[str, str]]:
    """(type of the object around it, string) for every string that Slack was given, JSON inside of strings too."""
    if isinstance(value, dict):
        for part in value.values():
            yield from texts(part, str(value.get("type", "")))
    elif isinstance(value, list):
        for part in value:
            yield from texts(part, kind)
    elif isinstance(value, str) and value[:1] in {"[", "{"}:
        try:
            yield from texts(json.loads(value))
        except ValueError:
            yield kind, value
    elif isinstance(value, str):
        yield kind, value


def forged(system: System) -> list[str]:
    """Every string in which something stands in angle brackets that the bot did not build."""
    given = [call.args for call in system.stand_in.log.calls]
    given += [whispered.message for whispered in system.stand_in.workspace.ephemerals]
    given += [view.content for view in system.stand_in.workspace.views.of("U0BEN")]
    return [text for one in given for kind, text in texts(one) if kind != "plain_text" and "<" in OURS.sub("", text)]


@pytest.mark.plan(webs=1, workers=1, pools=True)
async def test_se_1_no_text_from_outside_pings_or_forges(system: System) -> None:
    """Labels, annotations, addresses, names of people, words typed, and what back ends say when they refuse.

    In messages, replies, dialogs, whispers and their notifications: all is escaped, and metadata holds ids alone.
    """
    body = json.loads(webhook(1))
    alert = body["alerts"][0]
    for part in ("labels", "annotations"):
        alert[part] |= dict.fromkeys(("summary", "description", "team", "priority", "odd", "message"), EVIL)
    alert["labels"]["alertname"] += f" {EVIL}"
    alert["annotations"] |= {"runbook_url": f"https://x.example/{EVIL}", "__dashboardUid__": EVIL}
    alert |= {"generatorURL": f"https://x.example/{EVIL}", "silenceURL": EVIL, "dashboardURL": EVIL}
    body |= {"receiver": f"tailback {EVIL}", "externalURL": f"https://y.example/{EVIL}", "title": EVIL}
    persons = system.stand_in.workspace.persons
    persons["U0BEN"] = replace(persons["U0BEN"], name=EVIL, real_name=EVIL)
    await system.opened(1, json.dumps(body).encode())
    await everything_pressed(system)
    system.ends.complaint = EVIL
    await everything_pressed(system)
    await silenced(system, "Refused")
    system.ends.complaint = ""
    await silenced(system, "silenced the alert")
    (comment,) = system.ends.silenced
    assert comment.isprintable(), comment
    alert |= {"status": "resolved", "endsAt": written(time.time())}
    await system.send(1, json.dumps(body | {"status": "resolved"}).encode())
    await system.eventually(lambda: "alert resolved" in roots(system)[0].text, "its end is told")
    await system.says(system.replies, "*Alert:* Group0001Z")
    assert forged(system) == []
    for call in system.stand_in.log.calls:
        assert "link_names" not in call.args
        assert call.args.get("parse") in (None, "none")
        assert "evil" not in json.dumps(call.args.get("metadata", "")), call.args
    assert len(system.stand_in.log.of("views.open")) == 4


async def everything_pressed(system: System) -> None:
    """All that a person can ask for, by hands whose name is as bad as the alert."""
    root, before = roots(system)[0].ts, diagnoses(system)
    for label in ("Diagnose", "Silence", "Scale up"):
        await system.press(root, label, "U0BEN")
    for words in (f"status {EVIL}", f"silence {POOL} {EVIL}", f"scale {POOL} {EVIL}", f"diagnose {POOL}", EVIL):
        await system.queue(words.replace("\r\n", " "), "U0BEN")
    dialog = await system.slack.modal("U0BEN", "Silence")
    await dialog.fill("Or any other duration", "<!channel> <@U1> <!here>")
    system.aim()
    assert await dialog.submit(), "no duration"
    await system.eventually(lambda: diagnoses(system) > before, "the diagnosis")


async def silenced(system: System, words: str) -> None:
    """A silence is asked for, and the thread is told what came of it."""
    await system.queue(f"silence {POOL} 1h", "U0BEN")
    await system.says(system.replies, words)
