"""AC-2, AC-5, AC-6: replays, buttons of the past, and how wide a silence is."""

import asyncio
import json
import time
from datetime import datetime
from typing import Any, cast

import pytest

from bot.playground.slack.delivery.delivery import sign
from tests.faults.checker import buttons, key_of, roots, seen
from tests.faults.ends import POOL
from tests.faults.frames import HTTP
from tests.faults.groups import webhook
from tests.faults.points import posts
from tests.faults.soak import seen_for
from tests.faults.system import CHANNEL, System
from tests.faults.verdict import OTHER
from tests.faults.wires import Wire

pytestmark = [pytest.mark.needs("redis-server"), pytest.mark.plan(webs=1, workers=1, pools=True)]


async def again(system: System, raw: bytes, port: int, at: float | None = None) -> int:
    """Send the very bytes of a delivery once more, or the same body signed at another time; gives the status."""
    head, _, body = raw.partition(b"\r\n\r\n")
    fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n")[1:])
    headers = {name: value for name, value in fields.items() if name.lower().startswith(("x-slack", "content-type"))}
    if at is not None:
        stamp = str(int(at))
        headers = {name: value for name, value in headers.items() if not name.lower().startswith("x-slack")}
        headers |= {"x-slack-request-timestamp": stamp, "x-slack-signature": sign("demo-signing-secret", stamp, body)}
    async with system.http.post(f"http://127.0.0.1:{port}/slack/events", data=body, headers=headers) as answer:
        return answer.status


def blocks_of(system: System, root: str) -> list[dict[str, Any]]:
    return cast("list[dict[str, Any]]", system.stand_in.workspace.channels[CHANNEL].messages[root]["blocks"])


@pytest.mark.plan(webs=2, workers=1, pools=True)
async def test_ac_2_a_replayed_click_has_no_second_effect(system: System) -> None:
    """The same signed request again, after 4 min, and after a restart of all webs: one effect; after 6 min: 401."""
    root = await system.opened()
    async with Wire(HTTP, lambda: system.webs[0].port) as tap:
        system.stand_in.settings.request_url = f"http://127.0.0.1:{await tap.port_for('slack')}/slack/events"
        place = {"user": "U0ANA", "channel": CHANNEL, "ts": root}
        block = next(b for b in blocks_of(system, root) if b["type"] == "actions")
        await system.stand_in.people.click({**place, "block_id": block["block_id"], "action_id": "diagnose"})
        raw = tap.seen[-1].raw
    await system.eventually(lambda: diagnoses(system) == 1, "the diagnosis")
    for web in system.webs:
        assert await again(system, raw, web.port) == 200
        assert await again(system, raw, web.port, time.time() - 240) == 200
        assert await again(system, raw, web.port, time.time() - 360) == 401
        assert await again(system, raw, web.port, time.time() + 360) == 401
    for web in system.webs:
        web.kill()
    await system.start(system.webs)
    assert await again(system, raw, system.webs[0].port) == 200
    await asyncio.sleep(1)
    assert diagnoses(system) == 1


def diagnoses(system: System) -> int:
    return sum("asked for a diagnosis" in text for text in system.replies())


@pytest.mark.plan(webs=1, workers=1)
async def test_ac_5_buttons_of_the_past_are_refused_politely(system: System) -> None:
    """After the end, and after the records were lost: a sentence for the person, no effect, and the buttons go."""
    root = await system.opened()
    message = await system.slack.channel(CHANNEL).parent("Group0001Z")
    await system.send(1, webhook(1, firing=False))
    await system.eventually(lambda: "RESOLVED" in roots(system)[0].text, "the end")
    assert message.ts == root
    assert "Acknowledge" not in (await system.slack.channel(CHANNEL).parent("RESOLVED")).buttons
    system.aim()
    await message.click("Acknowledge", stale=True)
    assert "over" in (await system.slack.ephemeral()).text


@pytest.mark.plan(webs=2, workers=1, pools=True)
async def test_ac_5_after_a_redeployment_a_button_acts_once_a_used_one_never(system: System) -> None:
    """Every process is new: what was pressed before is refused and names who it was, what was not still works."""
    await system.opened()
    message = await system.slack.channel(CHANNEL).parent("Group0001Z")
    system.aim()
    await message.click("Acknowledge")
    await message.until("Acknowledged by")
    for process in system.processes.values():
        process.kill()
    await system.start()
    system.aim()
    await message.click("Diagnose", stale=True)
    await system.eventually(lambda: diagnoses(system) == 1, "the diagnosis")
    system.aim()
    await message.click("Diagnose", user="U0BEN", stale=True)
    assert "already requested" in (await system.slack.ephemeral("U0BEN")).text
    assert diagnoses(system) == 1


@pytest.mark.plan(webs=1, workers=1)
async def test_ac_5_after_the_records_are_lost_the_buttons_go(system: System) -> None:
    """Nobody knows the incident: said, its buttons taken away; when the group fires again, it goes on there."""
    root = await system.opened()
    message = await system.slack.channel(CHANNEL).parent("Group0001Z")
    with system.redis.client as client:
        client.flushall()
        await system.eventually(lambda: client.get("{tailback}:idx:epoch") is not None, "the loss healed")

    async def bare() -> bool:
        system.aim()
        await message.click("Acknowledge", stale=True)
        return (await message.read()).buttons == []

    await system.eventually(bare, "the buttons are gone")
    assert "no longer knows this incident" in (await system.slack.ephemeral(containing="no longer knows")).text
    await system.send(1)
    await system.eventually(lambda: [found.ts for found in roots(system)] == [root], "the same thread")
    assert "Acknowledge" in (await message.read()).buttons


@pytest.mark.plan(webs=1, workers=2, sweep="1s", lease="1s", settle="200ms")
async def test_ac_5_a_collapsed_duplicate_acts_on_nothing(system: System) -> None:
    """A post that arrives after the settle time makes a second thread; the sweep keeps the oldest and marks the other.

    Somebody still sees the button of the other: refused, and the button is gone.
    """
    held = system.to_slack.hold(posts)
    await system.send(1)
    await held.waits()
    root = await system.opened()
    held.release()

    def others() -> list[str]:
        every = system.stand_in.workspace.channels[CHANNEL].messages.values()
        return [str(one["ts"]) for one in every if "thread_ts" not in one and one["ts"] != root]

    await system.eventually(lambda: bool(others()), "the late arrival, which a sweep may have marked already")
    (late,) = others()
    message = next(found for found in await system.slack.messages(CHANNEL) if found.ts == late)
    await system.eventually(lambda: seen(system).duplicates == [] and len(roots(system)) == 1, "one thread")
    assert key_of(system.stand_in.workspace.channels[CHANNEL].messages[late]).startswith("duplicate/")
    (visible,) = seen_for(system)
    assert 0 < visible < 10, "found by the next sweep or two"
    assert (await message.read()).buttons == []
    system.aim()
    value = next(
        e["value"] for b in blocks_of(system, root) for e in b.get("elements", ()) if e.get("action_id") == "ack"
    )
    request = {"block_id": "gone", "action_id": "ack", "force": True, "value": value}
    await system.stand_in.people.click({"user": "U0ANA", "channel": CHANNEL, "ts": late, **request})
    assert "has moved to another thread" in (await system.slack.ephemeral()).text
    assert "Acknowledge" in buttons(system, roots(system)[0])


async def test_ac_6_a_silence_is_exact_whatever_the_labels_are(system: System) -> None:
    """Regex characters, quotes, unicode: equal matchers on the stored labels; too long, or a second one, is refused."""
    odd = {"path": 'a.*|b "q" \\ {x}', "name": "ünï\u202ecode", "empty": "", "lines": "one\ntwo", "mark": "=~!,"}
    await system.opened(1, webhook(1, labels=odd))
    await system.queue(f"silence {POOL} 1000h")
    await system.slack.ephemeral(containing="The longest silence here is 1 d")
    await system.queue(f"silence {POOL} 2h")
    await system.says(system.replies, "silenced the alert")  # before that, a second one is refused as asked for already
    (silence,) = system.ends.active()
    matchers = {m["name"]: m for m in silence["matchers"]}  # type: ignore[attr-defined]  # a list of objects
    labels = {"alertname": "Group0001Z", "runner_label": POOL, "severity": "page"}
    expected = {name: value for name, value in (labels | odd).items() if value}
    assert {name: m["value"] for name, m in matchers.items()} == expected
    assert all(m["isEqual"] and not m["isRegex"] for m in matchers.values())
    await system.queue(f"silence {POOL} 4h")
    await system.slack.ephemeral(containing="This alert is already silenced for another")
    assert len(system.ends.silenced) == 1


async def test_ac_6_a_silence_is_never_longer_than_allowed_when_it_is_made(system: System) -> None:
    """Asked for 4 h; before a worker came to it, 1 h became the most: it ends within the hour."""
    await system.opened()
    (worker,) = system.workers
    worker.kill()
    await system.queue(f"silence {POOL} 4h")
    system.configure(worker.name, max_silence="1h")
    worker.start()
    await system.eventually(lambda: len(system.ends.active()) == 1, "the silence")
    ends = datetime.fromisoformat(str(system.ends.active()[0]["endsAt"])).timestamp()
    assert ends <= time.time() + 3600


async def test_ac_6_a_group_without_labels_can_be_silenced_by_nobody(system: System) -> None:
    """A silence without a matcher would hold for every alert there is: by button and by word it is refused."""
    body = json.loads(webhook(1))
    body |= {"groupLabels": {}, "commonLabels": {}, "groupKey": "{}:{}"}
    body["alerts"][0]["labels"] = {}
    await system.send_until_taken(OTHER, json.dumps(body).encode())
    messages = system.stand_in.workspace.channels[CHANNEL].messages
    await system.eventually(lambda: len(messages) == 1, "a thread")
    (root,) = messages
    message = next(found for found in await system.slack.messages(CHANNEL) if found.ts == root)
    system.aim()
    await message.click("Silence")
    assert "no label that a silence could name" in (await system.slack.modal()).text
    system.aim()
    await system.slack.mention("silence 2h", thread=message)
    await system.slack.ephemeral(containing="share no label")
    await asyncio.sleep(0.5)
    assert system.ends.silenced == []
