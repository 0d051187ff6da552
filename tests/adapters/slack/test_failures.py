"""What each of Slack's answers means: the table of docs/explanation/promises.md#what-slack-errors-do, row by row."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

import aiohttp
import pytest
from aiohttp.client_reqrep import ConnectionKey
from slack_sdk.errors import SlackApiError

from bot.adapters.slack.failures import BY_CODE, classify, status_of, unreachable
from bot.ports import Failure


@dataclass
class Response:
    """As much of the SDK's response as an error carries."""

    status_code: int = 200
    data: object = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)


def error(status: int, body: object, headers: Mapping[str, str] | None = None) -> SlackApiError:
    return SlackApiError("failed", Response(status, body, headers or {}))  # type: ignore[no-untyped-call]  # the SDK's


def refused(code: str, status: int = 200, **more: object) -> SlackApiError:
    return error(status, {"ok": False, "error": code, **more})


def bare(status: int, body: object = None, **headers: str) -> SlackApiError:
    """An HTTP status without JSON of Slack's own."""
    shown = {name.replace("_", "-"): value for name, value in headers.items()}
    return error(status, body or {}, shown)


ROWS = {
    Failure.LATER: "ratelimited rate_limited message_limit_exceeded team_added_to_org external_channel_migrating",
    Failure.UNKNOWN: "fatal_error internal_error request_timeout service_unavailable",
    Failure.SHAPE: "invalid_blocks msg_too_long msg_blocks_too_long metadata_too_large no_text invalid_blocks_format "
    "too_many_attachments a_code_that_nobody_knows_yet",
    Failure.PLACE: "channel_not_found not_in_channel is_archived restricted_action restricted_action_read_only_channel",
    Failure.CREDENTIALS: "invalid_auth not_authed token_revoked token_expired account_inactive missing_scope "
    "org_login_required access_denied accesslimited ekm_access_denied enterprise_is_restricted "
    "two_factor_setup_required",
    Failure.UNEDITABLE: "cant_update_message edit_window_closed",
    Failure.GONE: "message_not_found cannot_reply_to_message",
}


def test_a_code_means_what_the_table_says() -> None:
    rows = {code: failure for failure, codes in ROWS.items() for code in codes.split()}
    assert {code: classify(refused(code)) for code in (*rows, *BY_CODE)} == {**BY_CODE, **rows}


@pytest.mark.parametrize(
    ("error", "failure"),
    [
        (bare(429), Failure.LATER),
        *((bare(status), Failure.UNKNOWN) for status in (500, 502, 504, 200, 404)),
        (refused("invalid_blocks", 503), Failure.UNKNOWN),
        (bare(413), Failure.SHAPE),
        (bare(403), Failure.CREDENTIALS),
        (json.JSONDecodeError("Expecting value", "<html>", 0), Failure.UNKNOWN),
        (AttributeError("'str' object has no attribute 'get'"), Failure.UNKNOWN),
        (TimeoutError(), Failure.UNKNOWN),
        (aiohttp.ServerDisconnectedError(), Failure.UNKNOWN),
        (aiohttp.ClientOSError(104, "reset"), Failure.UNKNOWN),
        (aiohttp.ClientPayloadError("cut"), Failure.UNKNOWN),
        (aiohttp.SocketTimeoutError(), Failure.UNKNOWN),
        (aiohttp.ConnectionTimeoutError(), Failure.UNCONNECTED),
        (
            aiohttp.ClientConnectorError(
                ConnectionKey("slack.test", 443, True, True, None, None, None), OSError("refused")
            ),
            Failure.UNCONNECTED,
        ),
    ],
    ids=lambda value: repr(value)[:50],
)
def test_what_is_not_slacks_own_answer_is_in_doubt_unless_it_was_never_sent(error: Exception, failure: Failure) -> None:
    """Only a connection that was never made proves that nothing was posted; after HTTP 500 that request is over."""
    assert unreachable(error, "chat.postMessage").retry_after_seconds == {429: 30, 500: 4}.get(status_of(error))
    assert classify(error) is failure


def test_a_missing_scope_is_named() -> None:
    """The operator learns which one to add."""
    error = unreachable(
        refused("missing_scope", needed="usergroups:read", provided="chat:write"), "usergroups.users.list"
    )
    assert "usergroups:read" in error.what
    assert error.failure is Failure.CREDENTIALS
    assert not error.retryable


def test_a_host_that_cannot_be_reached_is_named_in_words() -> None:
    """It read `ClientConnectorDNSError: Cannot connect to host slack.com:443 ssl:default [Name or …]`."""
    key = ConnectionKey("slack.com", 443, True, True, None, None, None)
    error = aiohttp.ClientConnectorDNSError(key, OSError(-2, "Name or service not known"))
    what = unreachable(error, "auth.test").what
    assert what == "auth.test: slack.com:443 cannot be reached (Name or service not known)"


def test_words_of_a_strange_code_do_not_reach_the_log() -> None:
    """A code that is no code, with line breaks, is not repeated."""
    assert "\n" not in unreachable(refused("bad\ncode"), "chat.update").what


def test_the_words_of_slack_about_a_block_are_told() -> None:
    """Else nobody finds which of fifty blocks it means; what it says is cut, and on one line."""
    found = "must be more than 0 characters [json-pointer:/blocks/3/text/text]"
    error = refused("invalid_blocks", response_metadata={"messages": [f"[ERROR] {found}", "x\n" * 400]})
    problem = unreachable(error, "chat.postMessage")
    assert problem.what.startswith(f"chat.postMessage: invalid_blocks: [ERROR] {found}; x x")
    assert len(problem.what) < 360
    assert (problem.code, problem.failure) == ("invalid_blocks", Failure.SHAPE)
    odd_ones: tuple[object, ...] = (None, [], {"messages": "x"}, {"messages": [None, 1]})
    for odd in odd_ones:
        assert unreachable(refused("invalid_blocks", response_metadata=odd), "m").what.startswith("m: invalid_blocks")
