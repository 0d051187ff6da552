"""The pagers: PagerDuty Events v2, Opsgenie, incident.io and plain webhooks. One message is one request."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from bot.adapters.build_context import BuildContext
from bot.adapters.http.address import base_url, secret_url
from bot.adapters.http.client import Http, HttpAnswer
from bot.adapters.http.json_answer import one_line
from bot.adapters.http.redaction import hidden
from bot.config import ConfigError, File, OutsideTable, PagerTable, WrongSetting, unusable
from bot.core.external import Problem
from bot.core.paging.page import OUTSIDE, PageAction, PageEvent
from bot.core.words import listed
from bot.ports import Failure, Pager, Unreachable
from bot.sources.payload import fields, items

NOBODYS = PageEvent("tailback-check", PageAction.RESOLVE, "check", "Tailback checks its settings.")
"""The end of an alert that does not exist, which changes nothing."""


@dataclass(frozen=True, slots=True)
class Call:
    body: Mapping[str, object]
    path: str = ""
    params: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)


def pagerduty(event: PageEvent, key: str) -> Call:
    """An event of PagerDuty's Events API v2; `payload` belongs to a trigger only."""
    body: dict[str, object] = {"routing_key": key, "event_action": event.action.value, "dedup_key": event.key}
    if event.action is PageAction.TRIGGER:
        details = {"custom_details": {"state": event.state}} if event.state else {}
        body["payload"] = {"summary": event.text[:1024], "source": "tailback", "severity": "critical", **details}
        body |= {"client": "Tailback", **({"client_url": event.link} if event.link else {})}
    return Call(body, "/v2/enqueue")


def opsgenie(event: PageEvent, _key: str) -> Call:
    """A request of Opsgenie's Alert API, which finds an alert by its alias."""
    if event.action is PageAction.TRIGGER:
        words = "\n".join(filter(None, (event.text, event.state, event.link)))
        body = {"message": event.text[:130], "alias": event.key, "description": words[:15000], "source": "Tailback"}
        return Call(body, "/v2/alerts")
    verb = "acknowledge" if event.action is PageAction.ACKNOWLEDGE else "close"
    note = {"source": "Tailback", "note": event.text}
    return Call(note, f"/v2/alerts/{event.key}/{verb}", {"identifierType": "alias"})


def incident_io(event: PageEvent, _key: str) -> Call | None:
    """An event of an HTTP alert source; incident.io knows firing and resolved, and takes no acknowledgement."""
    if event.action is PageAction.ACKNOWLEDGE:
        return None
    status = "firing" if event.action is PageAction.TRIGGER else "resolved"
    body = {"title": event.text[:255], "status": status, "deduplication_key": event.key,
            "description": "\n".join(filter(None, (event.text, event.state)))}  # fmt: skip
    return Call({**body, **({"source_url": event.link} if event.link else {})})


def webhook(event: PageEvent, _key: str) -> Call:
    """A small document with a key; a repeated one has the same Idempotency-Key."""
    body = {"source": "tailback", "event": event.event, "text": event.text, "action": event.action.value}
    body |= {"key": event.key, **{name: text for name, text in (("link", event.link), ("state", event.state)) if text}}
    return Call(body, headers={"Idempotency-Key": f"{event.key}/{event.action.value}"})


@dataclass(frozen=True, slots=True)
class PagerKind:
    label: str
    call: Callable[[PageEvent, str], Call | None]
    url: str = ""
    """Its usual address."""
    scheme: str = "Bearer"
    """The scheme of its Authorization header; empty if the key is part of the document."""
    checked: bool = False
    """Whether it judges the key of NOBODYS at once."""


KINDS = {
    "pagerduty": PagerKind("PagerDuty", pagerduty, "https://events.pagerduty.com", "", checked=True),
    "opsgenie": PagerKind("Opsgenie", opsgenie, "https://api.opsgenie.com", "GenieKey", checked=True),
    "incident_io": PagerKind("incident.io", incident_io),
    "webhook": PagerKind("a webhook", webhook),
}


class HttpPager:
    """The port `Pager`; any 2xx is success."""

    def __init__(self, http: Http, kind: PagerKind, key: str) -> None:
        self._http, self._kind, self._key = http, kind, key
        self.label = kind.label

    async def send(self, event: PageEvent) -> None:
        """Send one message; raises Unreachable, and never retries."""
        if (call := self._kind.call(event, self._key)) is None:
            return
        answer = await self._http.send("POST", call.path, call.body, call.headers, call.params)
        if not answer.ok:
            failure = Failure.LATER if answer.status in {408, 425} else Failure.SHAPE
            raise self._http.problem(f"answered HTTP {answer.status}: {self._why(answer)}", failure)

    async def lacking(self) -> tuple[Problem, ...] | None:
        """What is wrong with its key; None if that cannot be known without paging somebody."""
        if not self._kind.checked:
            return None
        try:
            await self.send(NOBODYS)
        except Unreachable as error:
            return (Problem(f"{error.system}: {error.what}", error.remedy),)
        return ()

    def _why(self, answer: HttpAnswer) -> str:
        """The explanation; PagerDuty lists its reasons beside a general message."""
        more = [str(reason) for reason in items(fields(answer.body).get("errors"))]
        return hidden(one_line("; ".join([answer.text, *more])), (self._key,))


def build(file: File, context: BuildContext) -> dict[str, Pager]:
    """Every pager by its name; the address of an old `[outside_slack]` is one too. Raises ConfigError."""
    found: dict[str, Pager] = {name: _pager(name, table, context) for name, table in file.pager.items()}
    if (outside := file.outside_slack) is not None:
        place = f"[{OUTSIDE}]"
        if bool(outside.pager) == bool(outside.url_env):
            raise unusable(place, "needs either pager or url_env", "write the NAME of a table [pager.NAME], or url_env")
        if outside.pager and outside.pager not in found:
            raise unusable(f"{place}: pager", f"there is no table [pager.{outside.pager}]", "add it")
        if outside.url_env:
            http = context.http(OUTSIDE, place, outside, _secret_address(place, outside, context))
            found[OUTSIDE] = HttpPager(http, KINDS["webhook"], "")
    return found


def _pager(name: str, table: PagerTable, context: BuildContext) -> HttpPager:
    place = f"[{name}]" if name == OUTSIDE else f"[pager.{name}]"
    if (kind := KINDS.get(table.kind)) is None:
        raise unusable(f"{place}: kind", "there is no kind of that name", f"known kinds: {listed(KINDS)}")
    needed = ["url_env"] if table.kind == "webhook" else ["token_env", *([] if kind.url else ["url"])]
    if lacking := [setting for setting in needed if not getattr(table, setting)]:
        raise ConfigError([Problem("is required for this kind", "add it", place=f"{place}: {key}") for key in lacking])
    key = context.token(place, "token_env", table.token_env)
    scheme = {"Authorization": f"{kind.scheme} {key}"} if kind.scheme and key else {}
    if table.url_env:
        address = _secret_address(place, table, context)
    else:
        try:
            address = base_url(table.url or kind.url)
        except WrongSetting as error:
            raise unusable(f"{place}: url", error.what, error.remedy) from None
    system = f"{kind.label} ({name})"
    return HttpPager(context.http(system, place, table, address, headers=scheme), kind, key)


def _secret_address(place: str, table: PagerTable | OutsideTable, context: BuildContext) -> str:
    """The address is a secret and never shown."""
    try:
        return secret_url(context.token(place, "url_env", table.url_env))
    except WrongSetting as error:
        raise unusable(f"{place}: url_env", f"the value of {table.url_env} {error.what}", error.remedy) from None
