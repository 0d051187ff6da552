"""Answers one Web API call: log, script of faults, token, scope, rate limit, method; in this order."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from bot.playground.slack.faults import BEFORE, SlackFault, SlackFaultKind
from bot.playground.slack.limits import Meter
from bot.playground.slack.methods.registry import METHODS, ApiMethod, needed_scope
from bot.playground.slack.record import ApiCall, Log
from bot.playground.slack.settings import AppContext
from bot.playground.slack.wire import Json, RateLimited, SlackError, compact, text


@dataclass(frozen=True, slots=True)
class Reply:
    """The HTTP response; `dropped` closes the connection instead."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    dropped: bool = False


@dataclass(frozen=True, slots=True)
class Done:
    """The result of a request outside the Web API; `ts` is the written message, if any."""

    body: bytes
    ts: str | None = None


_GONE = frozenset({"not_found", "expired_url", "used_url", "message_not_found"})
_JSON = {"content-type": "application/json; charset=utf-8"}


def _encoded(answer: Json) -> bytes:
    return compact(answer).encode("utf-8", "surrogatepass")


class SlackApi:
    """All methods of one workspace."""

    def __init__(self, slack: AppContext, log: Log, meter: Meter, listen: Callable[[], Awaitable[None]]) -> None:
        self.slack = slack
        self.log = log
        self.meter = meter
        self._listen = listen

    async def answer(self, method: str, args: Json, broken: str | None = None) -> Reply:
        """Answers a call whose arguments, `token` among them, are merged; `broken` is the code for unreadable ones."""
        if method == "apps.connections.open":
            await self._listen()
        call = self.log.open(self.slack.workspace.clock(), method, args)
        return await self._under_script(call, args, lambda: self._run(call, method, args, broken))

    async def aside(self, method: str, args: Json, run: Callable[[Json], Done], broken: str | None = None) -> Reply:
        """Answers requests outside the Web API that are logged and scripted like one: response URLs and uploads."""
        call = self.log.open(self.slack.workspace.clock(), method, args)
        return await self._under_script(call, args, lambda: _run_aside(call, args, run, broken))

    async def _under_script(self, call: ApiCall, args: Json, run: Callable[[], Reply]) -> Reply:
        fault = self.slack.faults.take(call.method, args)
        if fault is None:
            return run()
        call.fault = fault.kind.value
        if fault.delay_seconds:
            await asyncio.sleep(fault.delay_seconds)
        if fault.hold_before is not None:
            await fault.hold_before.wait()
        if fault.kind in BEFORE:
            return _instead(call, fault)
        reply = run()
        if fault.hold_after is not None:
            await fault.hold_after.wait()
        return reply if fault.kind is SlackFaultKind.SLOW else _instead(call, fault)

    def _run(self, call: ApiCall, method: str, args: Json, broken: str | None) -> Reply:
        try:
            _readable(broken)
            known = _known(method)
            self._admit(known, method, args)
            answer: Json = {"ok": True, **known.run(self.slack, args)}
        except SlackError as refused:
            call.outcome = refused.code
            answer = {"ok": False, "error": refused.code, **refused.extra}
        except RateLimited as limited:
            call.outcome = "ratelimited"
            return _too_many(limited.retry_after)
        else:
            call.outcome, call.effect = "ok", True
            call.ts = text(answer, "ts") or text(answer, "message_ts") or None
        headers = {**_JSON, "x-slack-req-id": f"{call.number:032x}"}
        if method == "auth.test":
            headers["x-oauth-scopes"] = ",".join(sorted(self.slack.settings.scopes))
        return Reply(_encoded(answer), headers=headers)

    def _admit(self, known: ApiMethod, method: str, args: Json) -> None:
        """Checks token, scope and rate.

        Raises:
            SlackError: `invalid_auth`, `not_allowed_token_type`, `missing_scope`.
            RateLimited: too many calls.
        """
        settings = self.slack.settings
        token = text(args, "token")
        if token not in (settings.bot_token, settings.app_token):
            raise SlackError("invalid_auth")
        if known.app_token != (token == settings.app_token):
            raise SlackError("not_allowed_token_type")
        needed = needed_scope(known, self.slack, args)
        if needed is not None and not known.app_token and needed not in settings.scopes:
            raise SlackError("missing_scope", needed=needed, provided=",".join(sorted(settings.scopes)))
        self.meter.count(method, text(args, "channel"))


def _readable(broken: str | None) -> None:
    if broken is not None:
        raise SlackError(broken)


def _known(method: str) -> ApiMethod:
    known = METHODS.get(method)
    if known is None:
        raise SlackError("unknown_method", req_method=method)
    return known


def _run_aside(call: ApiCall, args: Json, run: Callable[[Json], Done], broken: str | None) -> Reply:
    try:
        _readable(broken)
        done = run(args)
    except SlackError as refused:
        call.outcome = refused.code
        status = 404 if refused.code in _GONE else 400
        return Reply(_encoded({"ok": False, "error": refused.code, **refused.extra}), status, dict(_JSON))
    call.outcome, call.effect, call.ts = "ok", True, done.ts
    return Reply(done.body, headers={"content-type": "text/plain; charset=utf-8"})


def _too_many(retry_after: str | None) -> Reply:
    headers = dict(_JSON) if retry_after is None else {**_JSON, "retry-after": retry_after}
    return Reply(_encoded({"ok": False, "error": "ratelimited"}), 429, headers)


def _instead(call: ApiCall, fault: SlackFault) -> Reply:
    """The scripted answer in place of the real one."""
    if fault.kind is SlackFaultKind.ERROR:
        call.outcome = fault.code
        return Reply(_encoded({"ok": False, "error": fault.code}), headers=dict(_JSON))
    if fault.kind is SlackFaultKind.RATE_LIMIT:
        call.outcome = "ratelimited"
        return _too_many(fault.retry_after)
    if fault.kind in (SlackFaultKind.STATUS, SlackFaultKind.GARBAGE):
        call.outcome = f"http {fault.status}" if fault.kind is SlackFaultKind.STATUS else "garbage"
        return Reply(fault.body, fault.status, {"content-type": "text/html"})
    call.outcome = "dropped"
    return Reply(dropped=True)
