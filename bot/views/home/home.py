"""App Home: the open incidents with their state, pools, age, owner and thread, and how to get help."""

from collections.abc import Mapping, Sequence

from bot.core.incident.incident import Incident
from bot.core.incident.observe import Timing, View
from bot.core.message import Block, Message
from bot.core.words import count
from bot.views.blocks import context, divider, header, section
from bot.views.home.answers import NONE, doubt_words, incident_line, urgent_first
from bot.views.mrkdwn import say

MOST_SHOWN = 40


def home(  # noqa: PLR0913 - the parts of a list
    incidents: Sequence[Incident],
    views: Mapping[str, View],
    now: float,
    permalinks: Mapping[str, str] | None = None,
    timing: Timing | None = None,
    *,
    doubtful: int = 0,
) -> Block:
    """The view to publish; `views` and `permalinks` by incident id, a missing one only costs its part."""
    shown = urgent_first(incidents)[:MOST_SHOWN]
    paces, links = timing or Timing(), permalinks or {}
    told = [section(incident_line(one, views.get(one.id, View()), now, paces, links.get(one.id, ""))) for one in shown]
    blocks = [
        header(count(len(incidents), "open incident")),
        *(told or [section(NONE)]),
    ]
    if len(incidents) > len(shown):
        blocks.append(context(say("+ {more}", more=count(len(incidents) - len(shown), "more incident"))))
    if doubtful:
        blocks.append(context(doubt_words(doubtful)))
    help_words = say("In a channel: `/queue help`. In an incident's thread: `@tailback help`, since Slack takes no "
                     "slash commands there.")  # fmt: skip
    return {"type": "home", "blocks": [*blocks, divider(), context(help_words)]}


def refused_home(why: Message) -> Block:
    """App Home for somebody who may not see the incidents."""
    return {"type": "home", "blocks": list(why.blocks)}
