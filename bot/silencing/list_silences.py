"""The action Silences: active silences in every back end, shown privately."""

import asyncio
import re

from bot.context.context import Action, Context
from bot.context.queries import permalinks, readable
from bot.core.external import SilenceFound
from bot.core.incident.incident import Incident
from bot.core.requests.interaction import Answer, Interaction
from bot.core.requests.offer import incident_of
from bot.ports import Alertmanager, Refused, Unreachable
from bot.views.home.answers import ListedSilence, silence_list
from bot.views.words import refusals

TAG = re.compile(r"\[tailback ([^\]\s]+)\]")
"""The request id in a silence's comment."""
READ_SECONDS = 1.5
"""Time limit, because Slack waits 3 s."""


async def ask(context: Context, interaction: Interaction) -> Answer:
    """All silences of the back ends, other people's included; unresponsive back ends are named."""
    if not context.alertmanagers:
        raise Refused(refusals.NO_ALERTMANAGER)
    lists = await asyncio.gather(*(_active(name, one) for name, one in context.alertmanagers.items()))
    found = [(name, one) for name, listed in zip(context.alertmanagers, lists, strict=True) for one in listed[0]]
    unread = [trouble for _, trouble in lists if trouble]
    incidents = await _incidents(context, interaction, [one for _, one in found])
    links = await permalinks(context, list(incidents.values()))
    rows = [_row(name, one, incidents, links) for name, one in found]
    return Answer(whisper=silence_list(rows, context.now(), unread))


async def _active(name: str, back_end: Alertmanager) -> tuple[tuple[SilenceFound, ...], str]:
    """(active silences, problems of reading them)."""
    try:
        async with asyncio.timeout(READ_SECONDS):
            return await back_end.silenced(), ""
    except (Unreachable, Refused) as error:
        return (), f"{name}: its silences could not be read ({error})"
    except TimeoutError:
        return (), f"{name}: its silences could not be read in time"


async def _incidents(context: Context, asked: Interaction, found: list[SilenceFound]) -> dict[str, Incident]:
    ids = {incident_of(match[1]) for one in found if (match := TAG.search(one.comment))}
    held = await context.store.get_many(Incident, sorted(ids))
    shown, _ = await readable(context, [one.value for one in held.values()], asked.who, asked.channel)
    return {incident.id: incident for incident in shown}


def _row(name: str, one: SilenceFound, incidents: dict[str, Incident], links: dict[str, str]) -> ListedSilence:
    match = TAG.search(one.comment)
    incident = incidents.get(incident_of(match[1])) if match else None
    if incident is None or match is None:
        return ListedSilence(name, one)
    known = next((silence for silence in incident.silences if silence.act == match[1]), None)
    return ListedSilence(name, one, known, incident.group.title, links.get(incident.id, ""))


ACTION = Action(
    name="silences",
    verb="silences",
    takes="",
    help="What is silenced now, until when and by whom.",
    ask=ask,
    permission="diagnose",
    reads_only=True,
)
