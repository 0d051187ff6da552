"""What Slack refuses in reports of other bots, and what Tailback takes each for: what is done then is tested elsewhere.

docs/explanation/promises.md#what-slack-errors-do has the same as a table.
"""

from typing import Any, ClassVar

import pytest
from slack_sdk.errors import SlackApiError

from bot.adapters.slack.failures import unreachable
from bot.ports import Failure

REPORTS: dict[str, tuple[str, dict[str, Any], Failure]] = {
    "NousResearch/hermes-agent#98285: its first message takes no replies": (
        "chat.postMessage", {"error": "cannot_reply_to_message"}, Failure.GONE),
    "slackhq/slack-api-docs#85: who may mention everybody was restricted": (
        "chat.postMessage", {"error": "restricted_action"}, Failure.PLACE),
    "superset-sh/superset#6087: a channel for announcements": (
        "chat.postMessage", {"error": "restricted_action_read_only_channel"}, Failure.PLACE),
    "superset-sh/superset#6087: a channel without threads": (
        "chat.postMessage", {"error": "restricted_action_non_threadable_channel"}, Failure.PLACE),
    "superset-sh/superset#6087: somebody locked the thread": (
        "chat.postMessage", {"error": "restricted_action_thread_locked"}, Failure.PLACE),
    "grafana/oncall#4329: a message that may not be edited": (
        "chat.update", {"error": "cant_update_message"}, Failure.UNEDITABLE),
    "vellum-ai/vellum-assistant#35365: an edit with bad blocks leaves its message there": (
        "chat.update", {"error": "invalid_blocks", "response_metadata": {"messages": ["[ERROR] must be more than 0"]}},
        Failure.SHAPE),
    "slackapi/python-slack-sdk#1383: an organization's token without a workspace": (
        "usergroups.users.list", {"error": "missing_argument"}, Failure.SHAPE),
}  # fmt: skip


class Answered(dict[str, Any]):
    """A response of the SDK."""

    status_code = 200
    headers: ClassVar[dict[str, str]] = {}

    @property
    def data(self) -> dict[str, Any]:
        return self


@pytest.mark.parametrize(("method", "body", "failure"), REPORTS.values(), ids=REPORTS)
def test_what_slack_refuses_is_no_reason_to_send_it_twice(method: str, body: dict[str, Any], failure: Failure) -> None:
    error = SlackApiError("refused", Answered(ok=False, **body))  # type: ignore[no-untyped-call]
    found = unreachable(error, method)
    assert (found.failure, found.code) == (failure, body["error"])
