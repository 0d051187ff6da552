"""The pagers: each message in the form that its kind documents, and a key that no error repeats."""

from pathlib import Path
from typing import Any

import pytest

from bot.adapters.pagers import build
from bot.config import ConfigError, File
from bot.core.paging.page import OUTSIDE, PageAction, PageEvent
from bot.ports import Failure, Rehearsed, Unreachable
from tests.adapters.back_end import BackEnd, parts_with, patient_pool
from tests.adapters.on_the_way import Proxy, proxying, serving_tls

HOOK = "https://pager.test/hook/s3cr3t?key=t0ps3cr3t"
KEY = "R0UT1NGK3YR0UT1NGK3YR0UT1NGK3YAB"
SOURCE = "https://api.incident.io/v2/alert_events/http/01GW2G3V0S59R238FAHPDS1R66"
OLD = {"outside_slack": {"url_env": "HOOK"}}
TEXT, LINK = "linux: 14 jobs queued. Nobody has acknowledged it in Slack.", "https://ci.slack.com/archives/C1/p1"
TABLES: dict[str, dict[str, Any]] = {
    "pagerduty": {"token_env": "KEY"},
    "opsgenie": {"token_env": "KEY"},
    "incident_io": {"token_env": "KEY", "url": SOURCE},
    "webhook": {"url_env": "HOOK"},
}
ACCEPTED: dict[str, tuple[int, object]] = {
    "pagerduty": (202, {"status": "success", "message": "Event processed", "dedup_key": "k"}),
    "opsgenie": (202, {"result": "Request will be processed", "took": 0.302, "requestId": "43a29c5c"}),
    "incident_io": (202, {"deduplication_key": "k", "message": "Event accepted for processing", "status": "success"}),
    "webhook": (200, b""),
}
"""The documented answers."""


def paging(kind: str, **more: object) -> File:
    return File.model_validate({"pager": {"oncall": {"kind": kind, **TABLES[kind], **more}}})


def event(action: str) -> PageEvent:
    return PageEvent("tailback-i1-7", PageAction(action), f"incident_{action}", TEXT, LINK)


def duty(action: str, **more: object) -> dict[str, object]:
    """A document of PagerDuty's Events API v2."""
    return {"routing_key": KEY, "event_action": action, "dedup_key": "tailback-i1-7", **more}


def hook(action: str) -> dict[str, object]:
    body = {"source": "tailback", "event": f"incident_{action}", "text": TEXT}
    return {**body, "action": action, "key": "tailback-i1-7", "link": LINK}


FIRING = {"title": TEXT, "description": TEXT, "deduplication_key": "tailback-i1-7", "source_url": LINK}
ALIAS = {"identifierType": "alias"}
NOTE = {"source": "Tailback", "note": TEXT}
DOCUMENTS: dict[tuple[str, str], tuple[str, dict[str, str], dict[str, object]]] = {
    ("pagerduty", "trigger"): (
        "/v2/enqueue",
        {},
        duty("trigger", payload={"summary": TEXT, "source": "tailback", "severity": "critical"}, client="Tailback",
             client_url=LINK),
    ),
    ("pagerduty", "acknowledge"): ("/v2/enqueue", {}, duty("acknowledge")),
    ("pagerduty", "resolve"): ("/v2/enqueue", {}, duty("resolve")),
    ("opsgenie", "trigger"): (
        "/v2/alerts",
        {},
        {"message": TEXT, "alias": "tailback-i1-7", "description": f"{TEXT}\n{LINK}", "source": "Tailback"},
    ),
    ("opsgenie", "acknowledge"): ("/v2/alerts/tailback-i1-7/acknowledge", ALIAS, {**NOTE}),
    ("opsgenie", "resolve"): ("/v2/alerts/tailback-i1-7/close", ALIAS, {**NOTE}),
    ("incident_io", "trigger"): (SOURCE.removeprefix("https://api.incident.io"), {}, {**FIRING, "status": "firing"}),
    ("incident_io", "resolve"): (SOURCE.removeprefix("https://api.incident.io"), {}, {**FIRING, "status": "resolved"}),
    **{("webhook", action): ("/hook/s3cr3t", {"key": "t0ps3cr3t"}, hook(action)) for action in PageAction},
}  # fmt: skip
HEADERS = {"opsgenie": f"GenieKey {KEY}", "incident_io": f"Bearer {KEY}"}


@pytest.mark.parametrize(("kind", "action"), DOCUMENTS, ids="-".join)
async def test_each_message_has_the_documented_form(kind: str, action: str) -> None:
    """Address, query, credentials and document, with one key for trigger, acknowledgement and end."""
    back = BackEnd().says(*ACCEPTED[kind])
    await build(paging(kind), back.parts(KEY=KEY, HOOK=HOOK))["oncall"].send(event(action))
    (request,) = back.requests
    assert (request.method, request.path, request.query, request.body) == ("POST", *DOCUMENTS[kind, action])
    assert request.headers.get("authorization") == HEADERS.get(kind)
    if kind == "webhook":
        assert request.headers["idempotency-key"] == f"tailback-i1-7/{action}"


async def test_incident_io_is_sent_no_acknowledgement_because_it_takes_none() -> None:
    back = BackEnd().says(400)
    await build(paging("incident_io"), back.parts(KEY=KEY))["oncall"].send(event("acknowledge"))
    assert not back.requests


async def test_the_old_table_still_names_a_webhook() -> None:
    """`[outside_slack]` with an address alone; its document has the fields of before."""
    back = BackEnd().says(202, b"")
    pager = build(File.model_validate(OLD), back.parts(HOOK=HOOK))[OUTSIDE]
    await pager.send(PageEvent("k", PageAction.TRIGGER, "slack_unreachable", "Slack has not answered for 5 min."))
    body = {"source": "tailback", "event": "slack_unreachable", "text": "Slack has not answered for 5 min."}
    assert body.items() <= back.requests[0].body.items()


@pytest.mark.parametrize("kind", TABLES)
def test_the_table_for_outages_can_be_a_pager_of_its_own(kind: str) -> None:
    """Then nobody's acknowledgement counts too, as for any `[pager.NAME]`; the delay stays the table's."""
    file = File.model_validate({"outside_slack": {"kind": kind, **TABLES[kind], "after": "2m"}})
    back = BackEnd()
    assert list(build(file, back.parts(HOOK=HOOK, KEY=KEY))) == [OUTSIDE]
    assert file.outside_slack is not None
    assert (file.outside_slack.after, file.outside_slack.pager) == (120.0, OUTSIDE)
    assert file.pager[OUTSIDE].unacknowledged


INVALID = {"status": "invalid event", "message": "Event object is invalid", "errors": [f"'routing_key' {KEY} is short"]}


@pytest.mark.parametrize(
    ("status", "body", "failure", "words"),
    [
        (400, INVALID, Failure.SHAPE, "Event object is invalid; 'routing_key'"),
        (401, {"message": "no"}, Failure.CREDENTIALS, "refused the credentials"),
        (422, {"message": "Key format is not valid!"}, Failure.SHAPE, "Key format"),
        (429, {"message": "slow"}, Failure.LATER, "limits the rate"),
        (500, {"message": "no"}, Failure.UNKNOWN, "failed"),
    ],
)
@pytest.mark.parametrize("kind", TABLES)
async def test_a_refusal_names_the_pager_and_no_secret(
    kind: str, status: int, body: object, failure: Failure, words: str
) -> None:
    """PagerDuty gives its reasons in a list; neither key nor address are repeated."""
    pager = build(paging(kind), BackEnd().says(status, body).parts(KEY=KEY, HOOK=HOOK))["oncall"]
    with pytest.raises(Unreachable, match=words) as caught:
        await pager.send(event("trigger"))
    assert caught.value.failure is failure
    assert "(oncall)" in caught.value.system
    assert "s3cr3t" not in str(caught.value)
    assert kind != "pagerduty" or KEY not in str(caught.value)


@pytest.mark.parametrize("kind", ["pagerduty", "opsgenie"])
async def test_a_key_is_tried_by_ending_what_nobody_has(kind: str) -> None:
    back = BackEnd().says(*ACCEPTED[kind]).says(403, {"message": "no such key"})
    pager = build(paging(kind), back.parts(KEY=KEY))["oncall"]
    assert isinstance(pager, Rehearsed)
    assert await pager.lacking() == ()
    assert "tailback-check" in str((back.requests[0].path, back.requests[0].body))
    (problem,) = await pager.lacking() or ()
    assert "no such key" in problem.what


@pytest.mark.parametrize("kind", ["incident_io", "webhook"])
async def test_what_would_page_somebody_is_not_tried(kind: str) -> None:
    back = BackEnd().says(200)
    pager = build(paging(kind), back.parts(KEY=KEY, HOOK=HOOK))["oncall"]
    assert isinstance(pager, Rehearsed)
    assert await pager.lacking() is None
    assert not back.requests


@pytest.mark.parametrize(
    ("tables", "variables", "words"),
    [
        (OLD, {"HOOK": "pager.test/s3cr3t"}, r"\[outside_slack\]: url_env: the value of HOOK needs http"),
        (OLD, {"HOOK": "ftp://x/s3cr3t"}, r"\[outside_slack\]: url_env: the value of HOOK needs http"),
        (OLD, {}, r"\[outside_slack\]: url_env: HOOK"),
        ({"outside_slack": {"kind": "pagerduty", "after": "1m"}}, {}, r"\[outside_slack\]: token_env: is required"),
        ({"outside_slack": {"kind": "fax"}}, {}, r"\[outside_slack\]: kind: .*known kinds: pagerduty, opsgenie"),
        ({"outside_slack": {"pager": "night"}}, {}, r"\[outside_slack\]: pager: there is no table \[pager.night\]"),
        ({"outside_slack": {}}, {}, "needs either pager"),
        ({"outside_slack": {"pager": "a", "url_env": "HOOK"}}, {}, "needs either pager"),
        ({"pager": {"a": {"kind": "pigeon"}}}, {}, r"\[pager.a\]: kind: .*known kinds: pagerduty, opsgenie"),
        ({"pager": {"a": {"kind": "webhook"}}}, {}, r"\[pager.a\]: url_env: is required"),
        ({"pager": {"a": {"kind": "pagerduty"}}}, {}, r"\[pager.a\]: token_env: is required"),
        ({"pager": {"a": {"kind": "incident_io", "token_env": "KEY"}}}, {}, r"\[pager.a\]: url: is required"),
        ({"pager": {"a": {"kind": "opsgenie", "token_env": "KEY"}}}, {}, r"\[pager.a\]: token_env: KEY"),
        ({"pager": {"a": {"kind": "opsgenie", "token_env": "KEY", "url": "x"}}}, {"KEY": KEY}, r"\[pager.a\]: url: "),
    ],
)
def test_a_wrong_table_is_named_and_its_secret_is_not(
    tables: dict[str, Any], variables: dict[str, str], words: str
) -> None:
    with pytest.raises(ConfigError, match=words) as caught:
        build(File.model_validate(tables), BackEnd().parts(**variables))
    assert "s3cr3t" not in str(caught.value)


async def test_it_is_told_through_the_proxy_of_its_own_table(tmp_path: Path) -> None:
    """A network that Slack cannot be reached from may let a pager through; its path and key stay out of the proxy."""
    proxy = Proxy(login="tailback:hunter22-long")
    async with serving_tls(tmp_path, b"") as (url, ca_file), proxying(proxy) as address, patient_pool() as wire:
        file = paging("webhook", proxy=address, proxy_basic_env="LOGIN", ca_file=ca_file)
        parts = parts_with(wire, {"HOOK": f"{url}/hook/s3cr3t", "LOGIN": "tailback:hunter22-long"})
        await build(file, parts)["oncall"].send(event("trigger"))
    (head,) = proxy.heads
    assert head.startswith(f"CONNECT {url.removeprefix('https://')} ")
    assert "s3cr3t" not in head


async def test_a_proxy_that_is_away_is_named_and_the_secret_is_not() -> None:
    async with patient_pool() as wire:
        pager = build(paging("webhook", proxy="http://127.0.0.1:9"), parts_with(wire, {"HOOK": HOOK}))["oncall"]
        with pytest.raises(Unreachable, match=r"through the proxy 127\.0\.0\.1:9 \(.*; check proxy ") as caught:
            await pager.send(event("trigger"))
    assert caught.value.failure is Failure.UNCONNECTED
    assert "s3cr3t" not in str(caught.value)
