"""App Home: open incidents with their buttons, pools, silences and extra runners, and recent incidents."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from bot.core.incident.incident import Incident
from bot.core.incident.observe import Timing, View
from bot.core.incident.silence import Silence, holding
from bot.core.jobs.follow import Follows
from bot.core.message import Block, Message
from bot.core.requests.interaction import Offer
from bot.core.scaling.lease import Lease, PoolLeases
from bot.core.words import count, duration
from bot.views.answers import NONE, doubt_words, headline_of, incident_lines
from bot.views.blocks import context, header, section
from bot.views.jobs import follow_lines
from bot.views.mrkdwn import Marked, date, joined, link, mention, say
from bot.views.parent.pools import PoolRow, name_of, pool_table, rows, title_of
from bot.views.parent.sections import controls, ended_at
from bot.views.parent.urgency import urgent_first

MOST_WITH_BUTTONS, MOST_SHOWN, MOST_LINES = 12, 40, 10
CALM_SECONDS = 300.0
"""How often pools without an incident are measured where `timing.watch` is 0."""


@dataclass(frozen=True, slots=True)
class Board:
    """What one person may see; the incidents are those of channels that the person may read."""

    incidents: Sequence[Incident] = ()
    """The open ones."""
    recent: Sequence[Incident] = ()
    """Ended ones, the newest first."""
    view: View = field(default_factory=View)
    """All pools."""
    offers: Mapping[str, Sequence[Offer]] = field(default_factory=dict)
    """The buttons by incident id."""
    permalinks: Mapping[str, str] = field(default_factory=dict)
    """The thread by incident id; a missing one only costs its link."""
    leases: Sequence[PoolLeases] = ()
    doubtful: int = 0
    """Open incidents that are left out because Slack did not say whether the person may read them."""
    follows: Sequence[Follows] = ()


def home(board: Board, now: float, timing: Timing) -> Block:
    pools = _pools(board, now, timing)
    visible = (*board.incidents, *board.recent)
    blocks = [
        header(count(len(board.incidents), "open incident")),
        *_incidents(board, now, timing),
        *([header("Pools"), *pool_table(pools, now=now, native=False)] if pools else []),
        *_listed("Silences", [(one, held) for one in visible for held in holding(one.silences, now)], board),
        *_listed("Extra runners", [(held, lease) for held in board.leases for lease in held.leases], board),
        *_following(board.follows),
        *_listed("Recent incidents", [(one, None) for one in board.recent], board),
    ]
    help_words = say("In a channel: `/queue help`. In an incident's thread: `@tailback help`, since Slack takes no "
                     "slash commands there.")  # fmt: skip
    return {"type": "home", "blocks": [*blocks, {"type": "divider"}, context(help_words)]}


def _pools(board: Board, now: float, timing: Timing) -> tuple[PoolRow, ...]:
    """Those of open incidents first; a figure is stale once it is older than it was to be."""
    soon = {name for one in board.incidents for name in one.pools.candidates}
    calm = replace(timing, poll=max(timing.poll, timing.watch or CALM_SECONDS))
    watched = rows([name for name in board.view.rules if name in soon], (), board.view, now, timing)
    return (*watched, *rows([name for name in board.view.rules if name not in soon], (), board.view, now, calm))


def refused_home(why: Message) -> Block:
    return {"type": "home", "blocks": [header("No access to Tailback"), *why.blocks]}


def _incidents(board: Board, now: float, timing: Timing) -> list[Block]:
    shown = urgent_first(board.incidents, board.view.pools)[:MOST_SHOWN]
    blocks = [] if shown else [section(NONE)]
    lines = incident_lines(shown, board.view, now, timing, board.permalinks)
    for place, (one, line) in enumerate(zip(shown, lines, strict=True)):
        blocks.append(section(line))
        buttons = (
            controls(board.offers.get(one.id, ()), title_of(one), rest_shown=True)
            if place < MOST_WITH_BUTTONS
            else None
        )
        blocks += [buttons] if buttons else []
    if len(board.incidents) > len(shown):
        blocks.append(context(say("+ {more}", more=count(len(board.incidents) - len(shown), "more incident"))))
    return [*blocks, context(doubt_words(board.doubtful))] if board.doubtful else blocks


def _following(follows: Sequence[Follows]) -> list[Block]:
    if not follows:
        return []
    end = say("`/queue unfollow` ends all of them, with an address or a pool that one.")
    return [header("Following"), section(joined("\n", *(say("• {line}", line=one) for one in follow_lines(follows)))),
            context(end)]  # fmt: skip


Listed = tuple[Incident, Silence | None] | tuple[PoolLeases, Lease]
"""An incident that is over, one with a silence that holds, or a pool with extra runners."""


def _listed(title: str, found: Sequence[Listed], board: Board) -> list[Block]:
    """A heading and a line for each, of which only those shown are drawn; nothing without any."""
    if not found:
        return []
    more = say("+ {more} more", more=len(found) - MOST_LINES) if len(found) > MOST_LINES else None
    lines = (say("• {line}", line=_line(one, board)) for one in found[:MOST_LINES])
    return [header(title), section(joined("\n", *lines, more))]


def _line(found: Listed, board: Board) -> Marked:
    """One line, with the thread. Who asked for extra runners is named where the person may read the incident."""
    parts: tuple[Marked | None, ...]
    match found:
        case (PoolLeases() as held, Lease() as lease):
            known = any(lease.incident == one.id for one in (*board.incidents, *board.recent))
            more, of = lease.target - lease.before, lease.incident or ""
            parts = (
                say("*{pool}* +{more} (to {target})", pool=name_of(held.id), more=more, target=lease.target),
                say("until {at} at the latest", at=date(lease.ends_at)) if lease.ends_at else None,
                say("by {who}", who=mention(lease.who)) if known else None,
            )
        case (Incident() as one, Silence() as silence):
            title, until, of = say("*{title}*", title=title_of(one)), date(silence.ends_at), one.id
            parts = (title, say("until {at}", at=until), say("by {who}", who=mention(silence.by)))
        case (Incident() as one, _):
            lasted = duration(one.lasted(ended_at(one)))
            parts, of = (headline_of(one), say("{at}, {lasted}", at=date(one.began_at), lasted=lasted)), one.id
    return joined(" · ", *parts, link(thread, "Thread") if (thread := board.permalinks.get(of, "")) else None)
