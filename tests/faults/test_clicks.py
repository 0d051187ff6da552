"""AC-2, AC-4 to AC-6: replays, limits, buttons of the past, and how wide a silence is."""

import asyncio
import time
from pathlib import Path

import pytest

from bot.playground.slack.delivery import sign
from tests.faults.checker import roots
from tests.faults.ends import POOL
from tests.faults.frames import HTTP
from tests.faults.groups import webhook
from tests.faults.house import CHANNEL, House, Plan, house
from tests.faults.servers import Zygote
from tests.faults.wires import Wire

pytestmark = pytest.mark.needs("redis-server")


async def root_of(home: House) -> str:
    """Send one alert and wait for its thread."""
    await home.send_until_taken(1)
    await home.eventually(lambda: len(roots(home)) == 1, "a thread")
    return roots(home)[0].ts


async def again(home: House, raw: bytes, port: int, at: float | None = None) -> int:
    """Send the very bytes of a delivery once more, or the same body signed at another time; gives the status."""
    head, _, body = raw.partition(b"\r\n\r\n")
    fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n")[1:])
    headers = {name: value for name, value in fields.items() if name.lower().startswith(("x-slack", "content-type"))}
    if at is not None:
        stamp = str(int(at))
        headers = {name: value for name, value in headers.items() if not name.lower().startswith("x-slack")}
        headers |= {"x-slack-request-timestamp": stamp, "x-slack-signature": sign("demo-signing-secret", stamp, body)}
    async with home.http.post(f"http://127.0.0.1:{port}/slack/events", data=body, headers=headers) as answer:
        return answer.status


async def test_ac_2_a_replayed_click_has_no_second_effect(zygote: Zygote, tmp_path: Path) -> None:
    """The same signed request again, after 4 min, and after a restart of all webs: one effect; after 6 min: 401."""
    async with house(zygote, tmp_path, Plan(webs=2, workers=1, pools=True)) as home:
        root = await root_of(home)
        async with Wire(HTTP, lambda: home.webs[0].port) as tap:
            home.stand_in.settings.request_url = f"http://127.0.0.1:{await tap.door('slack')}/slack/events"
            place = {"user": "U0ANA", "channel": CHANNEL, "ts": root}
            block = next(
                b for b in home.stand_in.workspace.channels[CHANNEL].messages[root]["blocks"] if b["type"] == "actions"
            )
            await home.stand_in.people.click({**place, "block_id": block["block_id"], "action_id": "diagnose"})
            raw = tap.seen[-1].raw
        await home.eventually(lambda: diagnoses(home) == 1, "the diagnosis")
        for web in home.webs:
            assert await again(home, raw, web.port) == 200
            assert await again(home, raw, web.port, time.time() - 240) == 200
            assert await again(home, raw, web.port, time.time() - 360) == 401
            assert await again(home, raw, web.port, time.time() + 360) == 401
        for web in home.webs:
            web.kill()
        await home.start(home.webs)
        assert await again(home, raw, home.webs[0].port) == 200
        await asyncio.sleep(1)
        assert diagnoses(home) == 1


def diagnoses(home: House) -> int:
    """How many diagnoses the thread has."""
    messages = home.stand_in.workspace.channels[CHANNEL].messages.values()
    return sum("asked for a diagnosis" in str(message.get("text")) for message in messages)


REFUSED = {"99": "maximum", "35": "at once", "5": "not above", "x": "whole number"}
"""Targets outside the limits, and what the reason says."""


async def test_ac_4_what_is_outside_the_limits_is_refused_with_the_reason(zygote: Zygote, tmp_path: Path) -> None:
    """Above the maximum, a step too big, lower than now, no number: the reason privately, nothing sent."""
    async with house(zygote, tmp_path, Plan(webs=1, workers=1, pools=True)) as home:
        await root_of(home)
        for target, why in REFUSED.items():
            home.aim()
            await home.slack.slash("/queue", f"scale {POOL} {target}", channel=CHANNEL)
            await home.slack.ephemeral(containing=why)
        await asyncio.sleep(0.5)
        assert home.ends.sets == []


async def test_ac_4_limits_are_checked_again_when_it_is_done(zygote: Zygote, tmp_path: Path) -> None:
    """Confirmed at 10 runners; meanwhile somebody set 30: the target is lower now, nothing is sent, and it is said."""
    async with house(zygote, tmp_path, Plan(webs=1, workers=1, pools=True)) as home:
        root = await root_of(home)
        home.aim()
        await home.slack.slash("/queue", f"scale {POOL} 24", channel=CHANNEL)
        question = await home.slack.modal()
        home.ends.current = 30
        home.aim()
        await question.submit()
        messages = home.stand_in.workspace.channels[CHANNEL].messages
        with home.redis.client as client:
            await home.eventually(
                lambda: any(b"not above" in f[b"entry"] for _, f in client.xrange("{tailback}:audit")), "the refusal"
            )
        assert home.ends.sets == []
        assert root in messages


async def test_ac_5_buttons_of_the_past_are_refused_politely(zygote: Zygote, tmp_path: Path) -> None:
    """After the end, and after the records were lost: a sentence for the person, no effect."""
    async with house(zygote, tmp_path, Plan(webs=1, workers=1)) as home:
        root = await root_of(home)
        message = await home.slack.channel(CHANNEL).parent("Group0001Z")
        await home.send(1, webhook(1, firing=False))
        await home.eventually(lambda: "RESOLVED" in roots(home)[0].text, "the end")
        assert message.ts == root
        assert "Acknowledge" not in (await home.slack.channel(CHANNEL).parent("RESOLVED")).buttons
        home.aim()
        await message.click("Acknowledge", stale=True)
        assert "over" in (await home.slack.ephemeral()).text
        with home.redis.client as client:
            client.flushall()
        home.aim()
        await message.click("Acknowledge", stale=True)
        assert "does not know this incident any more" in (await home.slack.ephemeral(containing="does not know")).text


async def test_ac_6_a_silence_is_exact_whatever_the_labels_are(zygote: Zygote, tmp_path: Path) -> None:
    """Regex characters, quotes, unicode: equal matchers on the stored labels; too long a time is refused."""
    odd = {"path": 'a.*|b "q" \\ {x}', "name": "ünï\u202ecode", "empty": ""}
    async with house(zygote, tmp_path, Plan(webs=1, workers=1, pools=True)) as home:
        await home.send(1, webhook(1, labels=odd))
        await home.eventually(lambda: len(roots(home)) == 1, "a thread")
        home.aim()
        await home.slack.slash("/queue", f"silence {POOL} 2h", channel=CHANNEL)
        await home.eventually(lambda: len(home.ends.active()) == 1, "the silence")
        (silence,) = home.ends.active()
        matchers = {m["name"]: m for m in silence["matchers"]}  # type: ignore[attr-defined]  # a list of objects
        assert matchers["path"]["value"] == odd["path"]
        assert matchers["name"]["value"] == odd["name"]
        assert "empty" not in matchers
        assert all(m["isEqual"] and not m["isRegex"] for m in matchers.values())
        home.aim()
        await home.slack.slash("/queue", f"silence {POOL} 1000h", channel=CHANNEL)
        assert len(home.ends.active()) == 1
