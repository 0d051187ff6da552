"""Classifies the outcome of a Slack call: docs/explanation/promises.md#what-slack-errors-do as code."""

import asyncio
import re
from collections.abc import Mapping

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError

from bot.adapters.http.client import retry_after
from bot.adapters.http.json_answer import one_line
from bot.ports import Failure, Unreachable
from bot.sources.payload import fields

ANSWERED_SECONDS = 4.0
"""How long the history is given after an answer of HTTP 500 (docs/design/measurements.md#posting-exactly-once).

That request is over; one without an answer may not be.
"""

BY_CODE: Mapping[str, Failure] = {
    code: failure
    for failure, codes in {
        Failure.LATER: "ratelimited rate_limited message_limit_exceeded team_added_to_org external_channel_migrating",
        Failure.UNKNOWN: "fatal_error internal_error request_timeout service_unavailable",
        Failure.SHAPE: "invalid_blocks invalid_blocks_format msg_blocks_too_long msg_too_long metadata_too_large "
        "no_text too_many_attachments",
        Failure.PLACE: "channel_not_found not_in_channel is_archived is_inactive user_not_in_channel",
        Failure.CREDENTIALS: "invalid_auth not_authed token_revoked token_expired account_inactive missing_scope "
        "org_login_required not_allowed_token_type no_permission team_access_not_granted access_denied accesslimited "
        "ekm_access_denied enterprise_is_restricted two_factor_setup_required",
        Failure.UNEDITABLE: "cant_update_message edit_window_closed",
        Failure.GONE: "message_not_found cannot_reply_to_message "
        "thread_not_found expired_trigger_id exchanged_trigger_id invalid_trigger_id user_not_found no_such_subteam "
        "used_url expired_url",
    }.items()
    for code in codes.split()
}
BY_STATUS = {401: Failure.CREDENTIALS, 403: Failure.CREDENTIALS, 407: Failure.UNCONNECTED, 413: Failure.SHAPE}
"""For answers without a code."""
MOST_DETAILS = 5
"""Problems of one refusal that are told."""
NEVER_SENT = (
    aiohttp.ClientConnectorError,
    aiohttp.ClientHttpProxyError,
    aiohttp.ConnectionTimeoutError,
    aiohttp.InvalidURL,
)
ERRORS = (SlackClientError, aiohttp.ClientError, OSError, ValueError, AttributeError, RecursionError)
"""All exceptions of the SDK; the last three come from responses that it does not expect."""


def classify(error: BaseException) -> Failure:
    """Classify an error of a Slack call.

    An unlisted code with a clean `ok: false` counts as a refused shape: it was not done, and those retries end
    (smaller, plain text, quarantine).
    """
    if not isinstance(error, SlackApiError):
        return Failure.UNCONNECTED if isinstance(error, NEVER_SENT) else Failure.UNKNOWN
    status, code = status_of(error), code_of(error)
    if status == 429 or BY_CODE.get(code) is Failure.LATER:
        return Failure.LATER
    if status >= 500:
        return Failure.UNKNOWN
    if code:
        return Failure.PLACE if code.startswith("restricted_action") else BY_CODE.get(code, Failure.SHAPE)
    return BY_STATUS.get(status, Failure.UNKNOWN)


def unreachable(error: BaseException, method: str, blocks: object = ()) -> Unreachable:
    """The error for callers; it names the method, Slack's code and the remedy, never a token.

    `blocks` are those of the message, to name the one that Slack does not know.
    """
    failure, pause = classify(error), None
    if failure is Failure.LATER:
        headers = getattr(getattr(error, "response", None), "headers", None) or {}
        pause = retry_after(str(headers.get("Retry-After", "")), str(headers.get("Date", "")))
    elif failure is Failure.UNKNOWN and status_of(error) == 500:
        pause = ANSWERED_SECONDS
    words, remedy = _words(error)
    return Unreachable(
        "Slack",
        f"{method}: {words}",
        remedy=remedy,
        code=code_of(error),
        block=unknown_block(error, blocks) if failure is Failure.SHAPE else "",
        failure=failure,
        retry_after_seconds=pause,
    )


def unknown_block(error: BaseException, blocks: object) -> str:
    """The type of a block that the workspace does not have: Slack points at the block itself or its type.

    A deeper pointer means that our content is wrong; then this is empty.
    """
    for problem in _messages(error):
        found = re.search(r"\[json-pointer:/blocks/(\d{1,3})(?:/type)?\]", str(problem))
        if found and isinstance(blocks, list | tuple) and int(found[1]) < len(blocks):
            block = blocks[int(found[1])]
            return str(block.get("type", "")) if isinstance(block, Mapping) else ""
    return ""


def _messages(error: BaseException) -> list[object]:
    """What Slack says beside its code, such as which block it means."""
    metadata = _body(error).get("response_metadata")
    messages = metadata.get("messages") if isinstance(metadata, Mapping) else None
    return messages if isinstance(messages, list) else []


def _details(error: BaseException) -> str:
    """The same in one line; for most codes Slack says nothing."""
    return one_line("; ".join(str(one) for one in _messages(error)[:MOST_DETAILS]), 300)


def code_of(error: BaseException) -> str:
    """Slack's error code; empty without a readable response."""
    body = _body(error)
    code = body.get("error") if body.get("ok") is False else None
    return code if isinstance(code, str) and re.fullmatch(r"[\w.:-]{1,80}", code) else ""


def status_of(error: BaseException) -> int:
    """The HTTP status behind an error; 0 without a response."""
    response = getattr(error, "response", None)
    status = getattr(response, "status_code", None) or getattr(response, "status", None)
    return status if isinstance(status, int) else 0


def _words(error: BaseException) -> tuple[str, str]:
    """(what happened, the remedy, where one is known)."""
    code, status = code_of(error), status_of(error)
    if code == "missing_scope" and isinstance(needed := _body(error).get("needed"), str):
        return f"missing_scope: the app needs {one_line(needed, 80)}", "add it and install the app again"
    if code:
        return ": ".join(filter(None, (code, _details(error)))), ""
    if words := _of_connecting(error):
        return words
    if status:
        return f"HTTP {status} without a readable answer", ""
    if isinstance(error, asyncio.TimeoutError):
        return "no answer in time", ""
    return one_line(f"{type(error).__name__}: {error}", 200), ""


def _of_connecting(error: BaseException) -> tuple[str, str] | None:
    """The problem with a connection, a proxy or a certificate, and the remedy; None if it is none of them."""
    status = error.status if isinstance(error, aiohttp.ClientHttpProxyError) else status_of(error)
    if status == 407:
        return (
            "the proxy wants another login (HTTP 407)",
            "name the variable with its user:password in proxy_basic_env of [slack], or correct that variable",
        )
    if isinstance(error, aiohttp.ClientHttpProxyError):
        words = one_line(error.message, 80)
        return f"the proxy does not lead there (HTTP {status} {words})", "let it pass slack.com and its subdomains"
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        words = one_line(str(error.certificate_error), 120)
        return words, "name the file of the authority that signed the certificate in ca_file of [slack]"
    if not isinstance(error, aiohttp.ClientConnectorError):
        return None
    words = f"{error.host}:{error.port} cannot be reached ({one_line(error.strerror or str(error.os_error), 80)})"
    by_proxy = isinstance(error, aiohttp.ClientProxyConnectionError)
    return (f"the proxy {words}", "check proxy in [slack], and that it runs") if by_proxy else (words, "")


def _body(error: BaseException) -> Mapping[str, object]:
    return fields(getattr(getattr(error, "response", None), "data", None))
