"""The stand-in refuses what Slack refuses: every limit of messages, blocks and views, through the real SDK."""

from typing import Any, cast

import pytest

from bot.playground.slack.rules.messages import check_view
from tests.playground.slack_kit import CI, Kit, button, code, modal, mrkdwn, options, plain, refusal, section


def actions(*elements: object) -> dict[str, object]:
    return {"type": "actions", "elements": list(elements)}


def menu(kind: str, count: int) -> dict[str, object]:
    return {"type": kind, "action_id": "m", "options": options(*[f"o{n}" for n in range(count)])}


def field(element: dict[str, object]) -> dict[str, object]:
    return {"type": "input", "label": plain("n"), "element": element}


def line_chart(series: int, points: int) -> dict[str, object]:
    data = [{"label": f"p{n}", "value": n} for n in range(points)]
    rows = [{"name": f"s{n}", "data": data} for n in range(series)]
    axes = {"categories": [f"p{n}" for n in range(points)]}
    return {
        "type": "data_visualization",
        "title": "Queue",
        "chart": {"type": "line", "series": rows, "axis_config": axes},
    }


def spoilt_chart(**changed: object) -> dict[str, object]:
    """A fine line chart with these parts of its `chart` changed."""
    fine = line_chart(2, 3)
    return {**fine, "chart": {**cast("dict[str, object]", fine["chart"]), **changed}}


def cells(rows: int, columns: int) -> list[list[dict[str, object]]]:
    return [[{"type": "raw_text", "text": "x"}] * columns for _ in range(rows)]


def table(rows: int, columns: int) -> dict[str, object]:
    return {"type": "table", "rows": cells(rows, columns)}


def container(*children: object, **changed: object) -> dict[str, object]:
    return {"type": "container", "title": plain("Details"), "child_blocks": list(children), **changed}


def plan(*tasks: object, title: object = "Scale-up: requested") -> dict[str, object]:
    return {"type": "plan", "title": title, "tasks": list(tasks)}


def task(number: int = 1, **changed: object) -> dict[str, object]:
    return {"task_id": f"t{number}", "title": "Requested by Ana", "status": "pending", **changed}


def feedback(**changed: object) -> dict[str, object]:
    yes, no = ({"text": plain(word), "value": word} for word in ("Yes", "No"))
    thumbs = {"type": "feedback_buttons", "action_id": "fit", "positive_button": yes, "negative_button": no}
    return {"type": "context_actions", "elements": [{**thumbs, **changed}]}


GOOD: dict[str, list[dict[str, Any]]] = {
    "section of 3,000": [section("x" * 3000)],
    "header of 150": [{"type": "header", "text": plain("x" * 150)}],
    "25 buttons": [actions(*[button("b", f"a{n}") for n in range(25)])],
    "button at its limits": [actions(button("x" * 75, "a", value="v" * 2000, accessibility_label="l" * 75))],
    "overflow of five": [actions(menu("overflow", 5))],
    "same action_id in two blocks": [actions(button("b", "a")), actions(button("b", "a"))],
    "50 blocks": [{"type": "divider"}] * 50,
    "table": [table(10, 20)],
    "data_visualization": [line_chart(12, 20)],
    "container": [container(section("x"), table(2, 2), is_collapsible=True, default_collapsed=True)],
    "plan": [plan(task(1, status="complete"), task(2))],
    "feedback": [feedback()],
    "two charts": [line_chart(1, 2), line_chart(1, 2)],
}

BAD = {
    "chart of 13 series": [line_chart(13, 3)],
    "chart of 21 points": [line_chart(1, 21)],
    "chart without axes": [spoilt_chart(axis_config=None)],
    "chart with a category that a series lacks": [spoilt_chart(axis_config={"categories": ["p0", "p1"]})],
    "chart with a category twice": [spoilt_chart(axis_config={"categories": ["p0", "p0", "p2"]})],
    "chart with null for unknown": [spoilt_chart(series=[{"name": "a", "data": [{"label": "p0", "value": None}]}])],
    "chart with infinity": [spoilt_chart(series=[{"name": "a", "data": [{"label": "p0", "value": 1e999}]}])],
    "empty cell": [{"type": "table", "rows": [[{"type": "raw_text", "text": ""}]]}],
    "section of 3,001": [section("x" * 3001)],
    "empty section": [section("")],
    "section with nothing": [{"type": "section"}],
    "header of 151": [{"type": "header", "text": plain("x" * 151)}],
    "mrkdwn header": [{"type": "header", "text": mrkdwn("x")}],
    "string as text": [{"type": "section", "text": "x"}],
    "26 buttons": [actions(*[button("b", f"a{n}") for n in range(26)])],
    "no buttons": [actions()],
    "button of 76": [actions(button("x" * 76, "a"))],
    "button without text": [actions({"type": "button", "action_id": "a"})],
    "value of 2,001": [actions(button("b", "a", value="v" * 2001))],
    "accessibility label of 76": [actions(button("b", "a", accessibility_label="l" * 76))],
    "unknown style": [actions(button("b", "a", style="green"))],
    "action_id of 256": [actions(button("b", "a" * 256))],
    "duplicate action_id": [actions(button("b", "a"), button("c", "a"))],
    "duplicate block_id": [{"type": "divider", "block_id": "x"}] * 2,
    "block_id of 256": [{"type": "divider", "block_id": "x" * 256}],
    "overflow of six": [actions(menu("overflow", 6))],
    "select outside a modal": [actions(menu("static_select", 2))],
    "option of 76": [actions({**menu("overflow", 1), "options": options("x" * 76)})],
    "eleven in context": [{"type": "context", "elements": [mrkdwn("x")] * 11}],
    "context of 3,001": [{"type": "context", "elements": [mrkdwn("x" * 3001)]}],
    "51 blocks": [{"type": "divider"}] * 51,
    "unknown block": [{"type": "chart"}],
    "no block at all": ["divider"],
    "unknown property": [{"type": "divider", "colour": "red"}],
    "input element in actions": [actions({"type": "plain_text_input", "action_id": "a"})],
    "table of 101 rows": [table(101, 1)],
    "table of 21 columns": [table(1, 21)],
    "two tables": [table(1, 1), table(1, 1)],
    "three charts": [line_chart(1, 2)] * 3,
    "a second table in a container": [table(1, 1), container(table(1, 1))],
    "a table of 10,001 characters": [{"type": "table", "rows": [[{"type": "raw_text", "text": "x" * 10_001}]]}],
    "container with a string as title": [container(section("x"), title="Details")],
    "container without children": [container()],
    "container of eleven": [container(*[section("x")] * 11)],
    "container with a chart": [container(line_chart(1, 2))],
    "container in a container": [container(container(section("x")))],
    "plan with an object as title": [plan(task(), title=plain("x"))],
    "plan with a task twice": [plan(task(), task())],
    "plan of 51": [plan(*[task(n) for n in range(51)])],
    "plan with a type in its task": [plan(task(type="task_card"))],
    "feedback without a negative button": [feedback(negative_button=None)],
    "button in context_actions": [{"type": "context_actions", "elements": [button("b", "a")]}],
    "image without alt_text": [{"type": "image", "image_url": "https://example.org/q.png"}],
}


@pytest.mark.parametrize("name", GOOD)
async def test_blocks_at_their_limits_are_taken(slack: Kit, name: str) -> None:
    posted = await slack.client.chat_postMessage(channel=CI, text="t", blocks=GOOD[name])
    assert len(posted["message"]["blocks"]) == len(GOOD[name])


@pytest.mark.parametrize("name", BAD)
async def test_blocks_over_a_limit_are_refused_with_a_pointer(slack: Kit, name: str) -> None:
    """Each breach is `invalid_blocks`, says where, and stores nothing."""
    raw = {"channel": CI, "text": "t", "blocks": BAD[name]}
    refused = await refusal(slack.client.api_call("chat.postMessage", json=raw))
    assert refused.response["error"] == "invalid_blocks"
    assert "json-pointer:/blocks" in refused.response["response_metadata"]["messages"][0]
    assert not slack.stand_in.workspace.channels[CI].messages


async def test_texts_and_totals_have_their_own_codes(slack: Kit) -> None:
    """`no_text`, `msg_too_long` on update only, `msg_blocks_too_long` over about 13,000 characters."""
    post, update = slack.client.chat_postMessage, slack.client.chat_update
    assert await code(slack.client.api_call("chat.postMessage", json={"channel": CI})) == "no_text"
    assert await code(post(channel=CI, text="t", blocks=[section("x" * 2900)] * 5)) == "msg_blocks_too_long"
    assert await code(slack.client.api_call("chat.postMessage", json={"channel": CI, "blocks": "[{"})) == (
        "invalid_blocks_format"
    )
    long = await post(channel=CI, text="x" * 50_000)
    assert len(long["message"]["text"]) == 40_000
    assert await code(update(channel=CI, ts=long["ts"], text="x" * 4001)) == "msg_too_long"
    assert (await update(channel=CI, ts=long["ts"], text="x" * 4000))["ok"]


async def test_metadata_that_is_malformed_or_too_large_is_refused(slack: Kit) -> None:
    post = slack.client.chat_postMessage
    assert await code(post(channel=CI, text="t", metadata={"event_type": "x"})) == "invalid_metadata_schema"
    big = {"event_type": "x", "event_payload": {"labels": "l" * 9000}}
    assert await code(post(channel=CI, text="t", metadata=big)) == "metadata_too_large"


async def test_block_types_that_a_workspace_lacks_are_refused_while_the_rest_is_taken(slack: Kit) -> None:
    """The fallback to plain blocks can be tested."""
    slack.stand_in.settings.refused_blocks = frozenset({"data_visualization"})
    post = slack.client.chat_postMessage
    assert await code(post(channel=CI, text="t", blocks=[line_chart(1, 2)])) == "invalid_blocks"
    assert (await post(channel=CI, text="t", blocks=[section("▁▂▃")]))["ok"]


BAD_VIEWS = {
    "title of 25": modal("x" * 25),
    "no title": {key: value for key, value in modal().items() if key != "title"},
    "input without submit": {key: value for key, value in modal().items() if key != "submit"},
    "private metadata of 3,001": modal(private_metadata="x" * 3001),
    "callback_id of 256": modal(callback_id="x" * 256),
    "101 blocks": modal(blocks=[{"type": "divider"}] * 101),
    "unknown type": modal(type="dialog"),
    "unknown property": modal(colour="red"),
    "table in a modal": modal(blocks=[table(1, 1)]),
    "plan in a modal": modal(blocks=[plan(task())]),
    "feedback in a modal": modal(blocks=[feedback()]),
    "select of 101": modal(blocks=[field(menu("static_select", 101))]),
    "initial option that is none": modal(
        blocks=[field({**menu("static_select", 2), "initial_option": options("else")[0]})]
    ),
    "number input without is_decimal_allowed": modal(blocks=[field({"type": "number_input", "action_id": "n"})]),
}


@pytest.mark.parametrize("name", BAD_VIEWS)
async def test_views_over_a_limit_are_refused(slack: Kit, name: str) -> None:
    """Each breach is `invalid_arguments` with its place; the trigger is not used up by it."""
    trigger_id = slack.stand_in.api.slack.tickets.trigger("U0ANA")
    refused = await refusal(slack.client.views_open(trigger_id=trigger_id, view=BAD_VIEWS[name]))
    assert refused.response["error"] == "invalid_arguments"
    assert "json-pointer:/" in refused.response["response_metadata"]["messages"][0]
    assert (await slack.client.views_open(trigger_id=trigger_id, view=modal()))["ok"]


async def test_a_trigger_lives_three_seconds_and_works_once(slack: Kit) -> None:
    """`expired_trigger_id`, `exchanged_trigger_id`, and neither for one that was never given out."""
    tickets, views_open = slack.stand_in.api.slack.tickets, slack.client.views_open
    trigger_id = tickets.trigger("U0ANA")
    await views_open(trigger_id=trigger_id, view=modal())
    assert await code(views_open(trigger_id=trigger_id, view=modal())) == "exchanged_trigger_id"
    late = tickets.trigger("U0ANA")
    slack.clock.advance(3.1)
    assert await code(views_open(trigger_id=late, view=modal())) == "expired_trigger_id"
    assert await code(views_open(trigger_id="1.2.x", view=modal())) == "invalid_trigger_id"


def test_a_home_may_not_hold_more_than_a_hundred_blocks_and_needs_no_title() -> None:
    home: dict[str, object] = {"type": "home", "blocks": [{"type": "divider"}] * 100}
    check_view(home, frozenset())
