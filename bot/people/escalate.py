"""The action Escalate: call the group of the opening again, or a pager, with the state in five lines; asked before."""

from dataclasses import replace

from bot.context.context import IN_THREAD, WORDS, Action, Context
from bot.context.queries import pagers_of
from bot.context.save import put_new
from bot.core.incident.details.people import Escalation
from bot.core.incident.incident import Incident, noted
from bot.core.incident.observe import View
from bot.core.incident.timeline import Event
from bot.core.paging.page import PageRecord
from bot.core.requests.interaction import Answer, ButtonLabel, Interaction, Place, Surface, request_id
from bot.core.requests.request import AtOnce, done
from bot.ports import Refused
from bot.requests.submit import new_request, recall, remember, subject, submit
from bot.views.dialogs.modals import escalate_modal, offer_escalation
from bot.views.words import refusals

NAME = "escalate"


def _label(incident: Incident, view: View) -> ButtonLabel | None:
    return ButtonLabel("Escalate", Place.MENU) if incident.thread.mention or view.pageable else None


async def handle(context: Context, interaction: Interaction) -> Answer:
    """Typed: offer the dialog. Button: ask whom to call. Confirmed: call them."""
    held = await subject(context, replace(interaction, words=()))
    pagers = pagers_of(context, held.value)
    targets = _targets(held.value, pagers)
    if interaction.surface in WORDS:
        named = replace(interaction, request_id=request_id(held.value, NAME))
        to = _named(" ".join(interaction.words), targets, pagers)
        if interaction.surface is Surface.COMMAND:  # a mention has no trigger that opens a dialog
            return Answer(view=escalate_modal(NAME, named.request_id, held.value, targets, to))
        await remember(context, named, texts=(to,))
        return Answer(whisper=offer_escalation(named.request_id, to))
    if interaction.surface is Surface.BUTTON:
        remembered = (await recall(context, interaction)).texts
        to = remembered[0] if remembered and remembered[0] in targets else targets[0]
        return Answer(view=escalate_modal(NAME, interaction.request_id, held.value, targets, to))
    to = _named(interaction.values.get("whom", ""), targets, pagers)
    return await _escalated(context, interaction, to)


async def _escalated(context: Context, interaction: Interaction, to: str) -> Answer:
    held, now = await subject(context, interaction), context.now()
    pager = "" if to == held.value.thread.mention else to
    request = done(new_request(context, interaction, held, AtOnce(to=to)), "escalated", now)
    page = PageRecord(request.id, pager=pager, called_at=now)

    def move(fresh: Incident) -> Incident:
        details = Escalation(pager, page.id if pager else "")
        return noted(fresh, now, Event.CALLED, details, who=interaction.who, broadcast=True)

    await submit(context, interaction, held, request, move, also=(put_new(page, now),) if pager else ())
    return Answer()


def _targets(incident: Incident, pagers: tuple[str, ...]) -> tuple[str, ...]:
    """The group that was called at the opening, then the pagers of its channel. Raises Refused without any."""
    group = (incident.thread.mention,) if incident.thread.mention else ()
    if not (found := (*group, *pagers)):
        raise Refused(refusals.NOBODY_TO_CALL)
    return found


def _named(word: str, targets: tuple[str, ...], pagers: tuple[str, ...]) -> str:
    """The target that a person wrote, in any case; the first one without a word. Raises Refused."""
    if not word:
        return targets[0]
    found = [one for one in targets if one.casefold() == word.casefold()]
    if not found:
        raise Refused(refusals.unknown_pager(word, pagers))
    return found[0]


ACTION = Action(
    name=NAME,
    also=("page",),
    takes="[NAME]",
    help="Call the on-call group again, or the pager with that name.",
    handle=handle,
    permission="ack",
    surfaces=IN_THREAD,
    label=_label,
    dialogs=(NAME,),
    events=(Event.CALLED,),
)
