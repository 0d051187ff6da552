"""A silence asked for in Slack is a real one in the alert's own Alertmanager, and can be ended early."""

import time
from pathlib import Path

from bot.playground.fleet.alerting.rules import Flavour
from bot.playground.fleet.api.wire import read_time
from tests.journeys.alerts import queue_alert, seed
from tests.journeys.setup import LINUX, Setup
from tests.journeys.world import running


async def test_silenced_by_button_and_ended_by_button(tmp_path: Path, redis_url: str) -> None:
    """Free form with a field error, then a good one: exact matchers, owner, comment with a link; ended early."""
    async with running(tmp_path, redis_url) as world:
        world.farm.queue(LINUX, 14, 114)
        await world.fires(queue_alert(LINUX))
        parent = await world.slack.channel("ci").parent(LINUX)
        await parent.click("Silence", user="U0BEN")
        dialog = await world.slack.modal("U0BEN", "Silence")
        assert f"runner_label={LINUX}" in dialog.text
        await dialog.fill("Or any other duration", "soon")
        errors = await dialog.submit()
        assert "not a duration" in str(errors["custom"]), errors
        await dialog.fill("Or any other duration", "2d")
        assert "The longest silence here is 1 d" in str((await dialog.submit())["custom"])
        assert world.farm.kept() == []
        await dialog.fill("Or any other duration", "1h 30m")
        assert await dialog.submit() == {}

        await parent.until("by <@U0BEN>.")
        [silence] = world.farm.kept()
        assert silence["status"] == {"state": "active"}
        matchers = {(m["name"], m["value"], m["isRegex"], m["isEqual"]) for m in silence["matchers"]}  # type: ignore[attr-defined]
        labels = {"alertname": "RunnerQueueTooLong", "runner_label": LINUX, "priority": "P1", "team": "ci"}
        assert matchers == {(name, value, False, True) for name, value in labels.items()}
        assert 5390 < read_time(silence["endsAt"]) - time.time() <= 5400
        assert "U0BEN" in str(silence["createdBy"])
        assert f"/archives/C0CIONCALL/p{parent.ts.replace('.', '')}" in str(silence["comment"])
        assert "Silence" not in parent.buttons

        await parent.choose("End silence")
        await parent.until("<@U0ANA> ended the silence")
        assert [one["status"] for one in world.farm.kept()] == [{"state": "expired"}]
        await parent.until(lambda shown: "Silence" in shown.buttons)


async def test_a_preset_in_grafana_names_the_rule_by_its_uid(tmp_path: Path, redis_url: str) -> None:
    """The mission's alert: the label that Grafana matches by is in no payload, yet it stands in the silence."""
    async with running(tmp_path, redis_url, Setup(kind="grafana")) as world:
        world.farm.queue(LINUX, 14, 114)
        await world.fires(seed(), "grafana")
        parent = await world.slack.channel("dev-infra").parent(LINUX)
        await parent.click("Silence")
        dialog = await world.slack.modal(title="Silence")
        await dialog.fill("For how long", "4 h")
        assert await dialog.submit() == {}
        await parent.reply("silenced the alert for 4 h")
        [silence] = world.farm.kept(Flavour.GRAFANA)
        found = {(m["name"], m["value"]) for m in silence["matchers"]}  # type: ignore[attr-defined]
        assert found == {("__alert_rule_uid__", "dez2aomgvru2oe"), ("type", "alerting-infra")}
