"""One press, one effect: double clicks, two people at once, and a captured request sent again."""

import asyncio
import hashlib
import hmac
import json
import time
from urllib.parse import urlencode

import httpx

from tests.journeys.opening import opened
from tests.journeys.world import World
from tests.said import acknowledged


async def test_a_double_click_acts_once(world: World) -> None:
    """Two presses of the same Diagnose as it was drawn: one diagnosis, and the second press is told so."""
    parent = await opened(world)
    await asyncio.gather(*(parent.click("Diagnose", stale=True) for _ in range(2)))
    await parent.reply("asked for a diagnosis")
    told = await world.slack.ephemeral(containing="This was already requested")
    assert "ago by <@U0ANA>" in told.text
    await parent.click("Acknowledge", stale=True)
    await parent.until(acknowledged("U0ANA"))
    diagnoses = [one for one in await parent.replies() if "asked for a diagnosis" in one.text]
    assert len(diagnoses) == 1


async def test_two_people_at_once_and_one_has_it(world: World) -> None:
    """Both press Acknowledge in the same moment: one owner, and the other is told who it is."""
    parent = await opened(world)
    await asyncio.gather(*(parent.click("Acknowledge", user, stale=True) for user in ("U0ANA", "U0BEN")))
    await parent.until("Acknowledged by")
    owner, other = ("U0ANA", "U0BEN") if acknowledged("U0ANA") in parent.text else ("U0BEN", "U0ANA")
    told = await world.slack.ephemeral(other, "This was already requested")
    assert f"<@{owner}>" in told.text


async def test_a_question_confirmed_twice_scales_once(world: World) -> None:
    """The same confirmation delivered twice at once: one target reaches the scaler."""
    parent = await opened(world)
    await parent.click("Scale up")
    await (await world.slack.modal(title="Scale up")).submit()
    question = await world.slack.modal(title="Scale up?")
    await asyncio.gather(question.submit(), question.submit(), return_exceptions=True)
    await parent.until("request accepted")
    assert len(world.farm.sets) == 1


async def test_a_captured_request_sent_again_does_nothing(world: World) -> None:
    """The very bytes of a click with their good signature, three times more: one silence's worth of effect."""
    parent = await opened(world)
    await parent.click("Acknowledge")
    await parent.until(acknowledged("U0ANA"))
    button = next(e for block in parent.blocks for e in block.get("elements", []) if e.get("action_id") == "diagnose")  # type: ignore[attr-defined]
    payload = {
        "type": "block_actions",
        "team": {"id": "T0DEMO"},
        "user": {"id": "U0ANA", "team_id": "T0DEMO"},
        "api_app_id": "A0TAILBACK",
        "trigger_id": "captured",
        "container": {"type": "message", "message_ts": parent.ts, "channel_id": "C0CIONCALL"},
        "channel": {"id": "C0CIONCALL", "name": "ci"},
        "actions": [{"type": "button", "block_id": "b", "action_id": "diagnose", "value": button["value"]}],
    }
    body = urlencode({"payload": json.dumps(payload)}).encode()
    stamp = str(int(time.time()))
    signature = hmac.new(b"demo-signing-secret", b"v0:" + stamp.encode() + b":" + body, hashlib.sha256).hexdigest()
    headers = {"x-slack-request-timestamp": stamp, "x-slack-signature": f"v0={signature}"}
    headers["content-type"] = "application/x-www-form-urlencoded"
    async with httpx.AsyncClient(trust_env=False) as thief:
        answers = [
            (await thief.post(f"{world.product}/slack/events", content=body, headers=headers)).status_code
            for _ in range(4)
        ]
        forged = {**headers, "x-slack-signature": "v0=" + "0" * 64}
        refused = await thief.post(f"{world.product}/slack/events", content=body, headers=forged)
    assert answers == [200, 200, 200, 200]
    assert refused.status_code == 401
    await parent.reply("asked for a diagnosis")
    assert len([one for one in await parent.replies() if "asked for a diagnosis" in one.text]) == 1
    assert await world.slack.messages("ci", ephemeral=True) == [], "it is no second click, so nobody is told of one"
