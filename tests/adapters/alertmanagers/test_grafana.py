"""Grafana's Alertmanager: its own path, token, organisation and codes, against a strict stand-in."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from bot.adapters.alertmanagers.api_v2 import ApiV2
from bot.adapters.alertmanagers.grafana import PREFIX, build
from bot.core.alert import Kind, Matcher
from bot.ports import Failure, Refused, Unreachable
from tests.adapters.back_end import URL, BackEnd, SentRequest

PLACE = "[alertmanager.grafana]"
RULE = (Matcher("__alert_rule_uid__", "uid-1"),)
NOW = 1_700_000_000.0


@dataclass
class Grafana:
    """Its silences as its API keeps them, its codes, and what it refuses (docs/design/back-ends.md#silences)."""

    silences: dict[str, dict[str, object]] = field(default_factory=dict)
    alerts: list[object] = field(default_factory=list)
    refuse: tuple[int, object] | None = None
    garble: bool = False
    moves: bool = False
    hide: bool = False

    def answer(self, request: SentRequest) -> tuple[int, object]:
        if request.headers.get("authorization") != "Bearer glsa_secret":
            return 401, {"message": "Invalid API key"}
        if not request.path.startswith(PREFIX):
            return 404, {"message": "Not found"}
        if self.refuse is not None:
            return self.refuse
        path = request.path.removeprefix(PREFIX)
        if path == "/alerts":
            return 200, self.alerts
        return self._create(request) if request.method == "POST" else self._other(request, path)

    def _create(self, request: SentRequest) -> tuple[int, object]:
        assert isinstance(request.body, dict)
        old = self.silences.get(str(request.body.get("id")))
        if old is not None and self.moves:
            old["status"] = {"state": "expired"}
        silence_id = str(old["id"]) if old and not self.moves else f"s{len(self.silences) + 1}"
        matchers = [{"name": "everything", "value": "x"}] if self.garble else request.body["matchers"]
        kept = {**request.body, "matchers": matchers, "id": silence_id, "status": {"state": "active"}}
        self.silences[silence_id] = {**kept, "updatedAt": f"2026-10-21T07:28:{len(self.silences):02d}.000Z"}
        return 202, {"silenceID": silence_id}

    def _other(self, request: SentRequest, path: str) -> tuple[int, object]:
        if path == "/silences":
            return 200, list(self.silences.values())
        silence = None if self.hide else self.silences.get(path.removeprefix("/silence/"))
        if silence is None:
            return 404, {"message": "silence not found"}
        if request.method == "DELETE":
            silence["status"] = {"state": "expired"}
            return 200, {"message": "silence deleted"}
        return 200, silence


def adapter(grafana: Grafana, **more: object) -> tuple[ApiV2, BackEnd]:
    back = BackEnd(answer=grafana.answer)
    table = {"kind": "grafana", "url": f"{URL}/", "token_env": "TOKEN", **more}
    return build("main", PLACE, table, back.parts(TOKEN="glsa_secret")), back


async def silenced(alertmanager: ApiV2, comment: str = "(act-1)") -> str:
    return await alertmanager.silence(RULE, starts_at=NOW, ends_at=NOW + 600, by="Ana", comment=comment)


async def test_a_silence_of_one_rule_is_created_found_and_ended() -> None:
    alertmanager, back = adapter(Grafana(), org_id=7)
    silence_id = await silenced(alertmanager)
    found = await alertmanager.find("act-1")
    assert found is not None
    assert (found.id, found.matchers, found.ends_at) == (silence_id, RULE, NOW + 600)
    await alertmanager.end(silence_id)
    assert await alertmanager.find("act-1") is None
    sent = back.requests[0]
    assert isinstance(sent.body, dict)
    assert sent.body["matchers"] == [{"name": RULE[0].name, "value": "uid-1", "isRegex": False, "isEqual": True}]
    assert (sent.body["startsAt"], sent.body["endsAt"]) == ("2023-11-14T22:13:20.000Z", "2023-11-14T22:23:20.000Z")
    assert all(request.headers["x-grafana-org-id"] == "7" for request in back.requests)


@pytest.mark.parametrize("moves", [False, True])
async def test_a_silence_is_extended_in_place_or_under_a_new_id(moves: bool) -> None:
    """Whichever Grafana does, what is sent is the old one with another end, and one silence is left."""
    grafana = Grafana(moves=moves)
    alertmanager, back = adapter(grafana)
    first = await silenced(alertmanager)
    longer = await alertmanager.extend(first, NOW + 7200)
    assert (longer.id == first) is not moves
    assert longer.ends_at == NOW + 7200
    sent = next(request.body for request in reversed(back.requests) if request.method == "POST")
    assert isinstance(sent, dict)
    assert (sent["id"], sent["createdBy"], sent["comment"]) == (first, "Ana", "(act-1)")
    assert set(sent) == {"id", "matchers", "startsAt", "endsAt", "createdBy", "comment"}
    assert [one.id for one in await alertmanager.silenced()] == [longer.id]


@pytest.mark.parametrize(
    ("parts", "failure", "words"),
    [
        ({"garble": True}, None, "other matchers than were asked for"),
        ({"hide": True}, Failure.UNKNOWN, "took the silence but does not show it yet"),
        ({"refuse": (400, {"message": "invalid matcher"})}, None, "invalid matcher"),
    ],
)
async def test_a_silence_that_is_not_stored_as_it_was_sent_is_no_success(
    parts: dict[str, Any], failure: Failure | None, words: str
) -> None:
    """With other matchers it is ended and refused; one that cannot be read back may exist, and is found by its tag."""
    grafana = Grafana()
    alertmanager, _ = adapter(grafana)
    first = await silenced(alertmanager, "first")
    for name, value in parts.items():
        setattr(grafana, name, value)
    with pytest.raises((Refused, Unreachable), match=words) as caught:
        await silenced(alertmanager)
    assert getattr(caught.value, "failure", None) is failure
    if "refuse" not in parts:
        assert (await alertmanager.find("act-1") is not None) is (failure is Failure.UNKNOWN)
        with pytest.raises(Refused):
            await alertmanager.extend(first, NOW + 7200)
    if failure is None and grafana.garble:
        assert await alertmanager.silenced() == ()


async def test_a_tag_is_a_whole_word() -> None:
    alertmanager, _ = adapter(Grafana())
    await silenced(alertmanager, "by Ana [tailback act-12]")
    assert await alertmanager.find("act-1") is None
    for tag in ("act-12", "[tailback act-12]"):
        assert await alertmanager.find(tag) is not None
    assert await alertmanager.find("[tailback act-1]") is None


async def test_a_silence_keeps_its_annotations_when_it_is_extended() -> None:
    """Alertmanager has them since 0.32, and people write tickets into them."""
    grafana = Grafana()
    alertmanager, _ = adapter(grafana)
    silence_id = await silenced(alertmanager)
    grafana.silences[silence_id]["annotations"] = {"ticket": "CI-7"}
    await alertmanager.extend(silence_id, 1_700_009_000.0)
    assert grafana.silences[silence_id]["annotations"] == {"ticket": "CI-7"}


async def test_what_fires_has_its_rules_uid_and_no_internal_labels() -> None:
    """Grafana's API shows `__alert_rule_uid__` as a label; webhooks do not."""
    row = {
        "labels": {"alertname": "Jobs queue", "__alert_rule_uid__": "uid-1", "team": "ci"},
        "annotations": {"__orgId__": "1"},
        "startsAt": "2026-10-21T07:28:00.123Z",
        "endsAt": "2026-10-21T07:32:00Z",
        "fingerprint": "00aa",
        "status": {"state": "suppressed", "silencedBy": ["s1"], "inhibitedBy": []},
    }
    blind = {**row, "labels": {"alertname": "DatasourceNoData", "rulename": "Jobs queue"}, "fingerprint": "00ab"}
    alertmanager, _ = adapter(Grafana(alerts=[row, blind, {"labels": None}, "junk"]))
    first, second = await alertmanager.firing()
    assert (first.name, first.rule_uid, first.fingerprint) == ("Jobs queue", "uid-1", "00aa")
    assert set(first.labels) == {"alertname", "team"}
    assert first.starts_at == pytest.approx(1792567680.123)
    assert (second.name, second.kind, second.firing) == ("Jobs queue", Kind.BLIND, True)


async def test_a_server_error_while_ending_is_doubt_only_while_the_silence_lives() -> None:
    grafana = Grafana()
    alertmanager, back = adapter(grafana)
    silence_id = await silenced(alertmanager)
    answer = grafana.answer
    back.answer = lambda request: (500, {"message": "oops"}) if request.method == "DELETE" else answer(request)
    with pytest.raises(Unreachable):
        await alertmanager.end(silence_id)
    grafana.silences[silence_id]["status"] = {"state": "expired"}
    await alertmanager.end(silence_id)


@pytest.mark.parametrize("body", [{}, b"<html>", "x"])
async def test_a_listing_that_cannot_be_read_is_no_empty_listing(body: object) -> None:
    alertmanager, _ = adapter(Grafana(refuse=(200, body)))
    for call in (alertmanager.firing(), alertmanager.find("act-1")):
        with pytest.raises(Unreachable):
            await call
