"""The workspace that the page's tests look at: an incident with its thread, hostile text, a modal, a home."""

import copy
from typing import Any

from tests.playground.slack_kit import mrkdwn, plain

Json = dict[str, Any]
"""A JSON document."""
PARENT_TS = "1780000000.000100"
HOSTILE = "<script>window.hacked=1</script> <img src=x onerror=window.hacked=1> <javascript:window.hacked=1|press here>"


def option(text: str, value: str) -> Json:
    """An option of a select, an overflow menu, radio buttons or checkboxes."""
    return {"text": plain(text), "value": value}


def button(text: str, action_id: str, **more: object) -> Json:
    return {"type": "button", "action_id": action_id, "text": plain(text), "value": "inc-7", **more}


TABLE = """\
pool             queued  oldest wait  busy  idle  offline  limit
linux.2xlarge       118    1 h 54 min    40     0        0     40
linux.gpu.a100       14        22 min     6     0        2      8
windows.4xlarge       3         4 min  unknown (no answer)   10"""


def context(block_id: str, *texts: str) -> Json:
    return {"type": "context", "block_id": block_id, "elements": [*map(mrkdwn, texts)]}


def section(block_id: str, text: str) -> Json:
    return {"type": "section", "block_id": block_id, "text": mrkdwn(text)}


def select(action_id: str, *options: Json) -> Json:
    """A menu whose first option is chosen."""
    return {"type": "static_select", "action_id": action_id, "options": list(options), "initial_option": options[0]}


def field(label: str, element: Json, **more: object) -> Json:
    """An input whose block has the name of its action."""
    return {"type": "input", "block_id": element["action_id"], "label": plain(label), "element": element, **more}


def parent_blocks() -> list[Json]:
    """An incident parent: header, facts, a pool table as code, links, buttons."""
    facts = f"🔴 *3 pools* queue since <!date^1779996400^{{time}}|12:26 UTC>; worst first.\n```{TABLE}```"
    links = "<https://example.org/runbook?a=1&amp;b=2|Runbook> · <https://example.org/alert|Alert>"
    choices = [option("Close incident", "resolve"), option("Mute updates", "mute")]
    buttons = [
        button("Acknowledge", "ack", style="primary"),
        button("Silence", "silence"),
        button("Scale up", "scale_up"),
        button("Diagnose", "diagnose"),
        {"type": "overflow", "action_id": "more", "options": choices},
    ]
    return [
        {"type": "header", "block_id": "head", "text": plain("OPEN P2: 118 jobs are queueing in linux.2xlarge")},
        section("facts", facts),
        section("owner", "*Owner*\nnobody yet, paged <!subteam^S0ONCALL>"),
        context("links", links, "Trend: `▁▂▃▅▇` growing"),
        {"type": "actions", "block_id": "do", "elements": buttons},
    ]


def modal_view() -> Json:
    """The scale-up modal with most kinds of input."""
    pools = (option("linux.2xlarge", "p1"), option("linux.gpu.a100", "p2"))
    ends = (option("the queue has drained", "drain"), option("2 h", "2h"))
    target = {"type": "number_input", "action_id": "target", "is_decimal_allowed": False}
    why = {"type": "plain_text_input", "action_id": "why", "placeholder": plain("For the audit trail")}
    return {
        "type": "modal",
        "callback_id": "scale_up",
        "title": plain("Scale up"),
        "submit": plain("Scale up"),
        "close": plain("Cancel"),
        "blocks": [
            section("now", "*linux.2xlarge*: 40 of at most 60 runners, 118 jobs wait."),
            {"type": "divider", "block_id": "line"},
            field("Pool", select("pool", *pools)),
            field("New target", target, hint=plain("Absolute number of runners, at most 60.")),
            field("Give back after", select("lease", *ends)),
            field("Reason", why),
            context("fine", "Costs about 6.80 USD per hour; handed back by itself."),
        ],
    }


def message(ts: str, text: str, user: str = "U0TAILBACK", **more: object) -> Json:
    bot = user == "U0TAILBACK"
    content = {"ts": ts, "user": user, "username": "Tailback" if bot else "", "bot": bot, "text": text, **more}
    return {**content, "raw": copy.deepcopy(content)}


def new_state() -> Json:
    """A workspace with one incident: parent, replies, a broadcast, an ephemeral, hostile text, a home."""
    thread = {"thread_ts": PARENT_TS}
    opened, edited = "OPEN: 118 jobs are queueing in linux.2xlarge, the oldest for 1 h 54 min.", "1780000200.000000"
    parent: Json = {"blocks": parent_blocks(), "reply_count": 2, "edited": {"ts": edited}}
    marked = "/tmp is full? _maybe_ ~not~ :tada: &lt;b&gt; &amp;amp;\n&gt; quoted"
    messages = [
        message(PARENT_TS, opened, **thread, **parent),
        message("1780000100.000200", "<@U0ANA> is looking. Reported: *no* idle runner.", **thread),
        message("1780000160.000300", "Queue is getting worse: 118 jobs.", broadcast=True, **thread),
        message("1780000300.000400", HOSTILE, user="U0BEN"),
        message("1780000310.000500", marked, user="U0BEN"),
    ]
    people = [("U0ANA", "ana", "Ana"), ("U0BEN", "ben", "Ben"), ("U0CHI", "chi", "Chi"), ("U0GUEST", "guest", "Guest")]
    users = [
        {"id": key, "name": name, "real_name": real, "guest": key == "U0GUEST", "stranger": False}
        for key, name, real in people
    ]
    note = message("1780000320.000600", "Only `infra` may scale this pool.", channel="C0CIONCALL", ephemeral=True)
    home = [
        {"type": "header", "text": plain("Open incidents")},
        {"type": "section", "text": mrkdwn("*linux.2xlarge*"), "accessory": button("Refresh", "refresh")},
    ]
    queue = {"command": "/queue", "description": "Ask about runner queues", "usage_hint": "status [pool] | help"}
    guide = {"An alert has arrived": "Read the parent, then open its thread.",
             "Press Scale up": "and watch the queue drain within two minutes."}  # fmt: skip
    news = [message("1780000005.000100", "Deploy is done.", user="U0CHI")]
    channels = {"C0CIONCALL": ("ci", messages), "C0OPS": ("ops", news), "C0DEVINFRA": ("dev-infra", [])}
    return {
        "seq": 1,
        "now": 1780000400,
        "team": {"id": "T0DEMO", "name": "Acme CI"},
        "bot": {"user_id": "U0TAILBACK", "name": "tailback"},
        "users": users,
        "groups": [{"id": "S0ONCALL", "handle": "oncall", "name": "On call"}],
        "commands": [queue],
        "shortcuts": [{"callback_id": "diagnose_message", "name": "Diagnose this"}],
        "guide": [{"title": title, "text": text} for title, text in guide.items()],
        "channels": [
            {"id": key, "name": name, "is_archived": False, "messages": conversation}
            for key, (name, conversation) in channels.items()
        ],
        "ephemerals": [{**note, "user": "U0TAILBACK"}],
        "views": [],
        "home": {"id": "V0HOME", "type": "home", "blocks": home},
    }
