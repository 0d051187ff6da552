"""The action Silences: active silences in every back end, shown privately."""

import asyncio
import re

from bot.context.context import Action, Context
from bot.context.queries import permalinks, readable
from bot.core.external import SilenceFound
from bot.core.incident.incident import Incident
from bot.core.requests.interaction import Answer, Interaction, incident_of
from bot.ports import Alertmanager, Refused, Unreachable
from bot.views.answers import ListedSilence, silence_list
from bot.views.words import refusals

TAG = re.compile(r"\[tailback ([^\]\s]+)\]")
"""The request id in a silence's comment."""
READ_SECONDS = 1.5
"""Time limit, because Slack waits 3 s."""


async def handle(context: Context, interaction: Interaction) -> Answer:
    """All silences of the back ends, other people's included; unresponsive back ends are named.

    Those of Tailback come with the data of their incident, if the person may read it.
    """
    if not context.alertmanagers:
        raise Refused(refusals.NO_ALERTMANAGER)
    lists = await asyncio.gather(*(_active(name, one) for name, one in context.alertmanagers.items()))
    named = {incident_of(_made_by(one)) for found, _ in lists for one in found} - {""}
    held = await context.store.get_many(Incident, sorted(named))
    shown, _ = await readable(context, [one.value for one in held.values()], interaction.who, interaction.channel)
    incidents, links = {one.id: one for one in shown}, await permalinks(context, shown)
    rows = []
    for name, (found, _) in zip(context.alertmanagers, lists, strict=True):
        for one in found:
            act = _made_by(one)
            if (incident := incidents.get(incident_of(act))) is None:
                rows.append(ListedSilence(name, one))
                continue
            known = next((silence for silence in incident.silences if silence.act == act), None)
            rows.append(ListedSilence(name, one, known, incident.group.title, links.get(incident.id, "")))
    unread = [trouble for _, trouble in lists if trouble]
    return Answer(whisper=silence_list(rows, context.now(), unread))


def _made_by(silence: SilenceFound) -> str:
    """The id of the request that made it; empty if Tailback did not."""
    match = TAG.search(silence.comment)
    return match[1] if match else ""


async def _active(name: str, back_end: Alertmanager) -> tuple[tuple[SilenceFound, ...], str]:
    """(active silences, problems of reading them)."""
    try:
        async with asyncio.timeout(READ_SECONDS):
            return await back_end.silenced(), ""
    except (Unreachable, Refused) as error:
        return (), f"{name}: its silences could not be read ({error})"
    except TimeoutError:
        return (), f"{name}: its silences could not be read in time"


ACTION = Action(
    name="silences",
    takes="",
    help="List what is silenced, until when and by whom.",
    handle=handle,
    permission="diagnose",
    reads_only=True,
)
