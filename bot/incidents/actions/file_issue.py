"""The action File an issue: a GitHub issue with the incident's story, once, after a dialog that shows its text."""

import asyncio
from datetime import UTC, datetime
from functools import partial

from bot.config import IssuesTable
from bot.context.context import IN_THREAD, Action, Context, Effect
from bot.context.queries import names_of, permalinks
from bot.core.incident.details.requests import IssueNoted, IssueStep
from bot.core.incident.incident import Incident
from bot.core.incident.observe import View
from bot.core.incident.timeline import Event
from bot.core.reporting.issue import FiledIssue, Naming, being_filed, issue_of, marker
from bot.core.reporting.proposals import Proposal
from bot.core.requests.interaction import Answer, ButtonLabel, Interaction, Place, Surface, request_id
from bot.core.requests.request import FileIssue, Request, Result
from bot.ports import IssueTracker, Refused, Unreachable
from bot.reporting.follow_ups import follow_ups
from bot.requests.submit import hand_over, new_request, recall, remember, subject
from bot.views.dialogs.modals import issue_modal, offer_issue
from bot.views.export.markdown import issue_text
from bot.views.export.review import people_of, responders
from bot.views.mrkdwn import clipped
from bot.views.parent.heading import headline
from bot.views.words import refusals

NAME = "file_issue"
MOST_CHARACTERS = 60_000
"""GitHub takes 65,536."""


def _label(incident: Incident, view: View) -> ButtonLabel | None:
    possible = view.fileable and not issue_of(incident) and not being_filed(incident)
    return ButtonLabel("File an issue", Place.MORE) if possible else None


async def handle(context: Context, interaction: Interaction) -> Answer:
    """Typed: offer the dialog. Button: show the text. Confirmed: store the request with the text that was shown."""
    held, table, tracker = await subject(context, interaction, over=True), _table(context), _tracker(context)
    _once(held.value)
    if interaction.surface is Surface.MENTION:
        return Answer(whisper=offer_issue(request_id(held.value, NAME), tracker.repository))
    if interaction.surface is Surface.BUTTON:
        title, texts, people = await _drafted(context, held.value, table)
        where = ", ".join([tracker.repository, *table.tags])
        await remember(context, interaction, texts=(title, *texts))
        return Answer(view=issue_modal(NAME, interaction.request_id, where, title, texts[0], people=people))
    if len(known := (await recall(context, interaction)).texts) != len(("title", *Naming)):
        raise Refused(refusals.QUESTION_LAPSED)
    text = known[1 + [*Naming].index(Naming(interaction.values.get("people") or Naming.ROLES))]
    request = new_request(context, interaction, held, FileIssue(known[0], text))
    details = IssueNoted(IssueStep.ASKED, tracker.repository)
    return await hand_over(context, interaction, held, request, details, first=_once, over=True)


async def _drafted(context: Context, incident: Incident, table: IssuesTable) -> tuple[str, list[str], tuple[str, ...]]:
    """The title; the review without and with people's names, by `Naming`; those names."""
    now, view = context.now(), await context.view(incident)
    title = headline(incident, view, now, context.settings.file.paces, 200)
    links, proposals, named = await asyncio.gather(
        permalinks(context, [incident]), _proposals(context, incident), names_of(context.chat, people_of(incident))
    )
    forms = {Naming.ROLES: responders(named), Naming.NAMES: named}
    link = links.get(incident.id, "")
    texts = [issue_text(incident, now, table.form, link, proposals=proposals, names=forms[one]) for one in Naming]
    return title, [clipped(one, MOST_CHARACTERS) for one in texts], tuple(named.values())


async def _proposals(context: Context, incident: Incident) -> tuple[Proposal, ...] | None:
    """The follow-ups that the report proposes; None if it is not ready in time."""
    make = partial(follow_ups, context.store, context.settings.file, incident, context.now())
    try:
        return await context.making.get(("follow_ups", incident.id), make, context.monotonic)
    except Unreachable:
        return None


async def run(context: Context, request: Request, incident: Incident | None) -> Result:
    """Create it, unless one with the incident's marker exists, for example after a loss of records."""
    if context.settings.file.actions.shadow:
        return Result(IssueNoted(IssueStep.NOT_FILED, _tracker(context).repository))
    if (filed_before := await check(context, request, incident)) is not None:
        return filed_before
    tags, body = _table(context).tags, request.of(FileIssue)
    return _filed(await _tracker(context).create(body.title, f"{body.text}\n{_mark(request)}", tags), tags)


async def check(context: Context, request: Request, incident: Incident | None) -> Result | None:
    since = incident.opened_at if incident else request.requested_at
    stamp = f"{datetime.fromtimestamp(since, UTC):%Y-%m-%dT%H:%M:%SZ}"
    found = await _tracker(context).find(_mark(request), stamp)
    return _filed(found, _table(context).tags) if found else None


def _filed(issue: FiledIssue, tags: tuple[str, ...]) -> Result:
    lacking = tuple(tag for tag in tags if tag.lower() not in {label.lower() for label in issue.labels})
    return Result(IssueNoted(IssueStep.FILED, issue.name, issue.url, lacking), issue.name)


def _mark(request: Request) -> str:
    return marker(request.incident or request.id)


def _tracker(context: Context) -> IssueTracker:
    if context.issues is None:
        raise Refused(refusals.NO_ISSUES)
    return context.issues


def _table(context: Context) -> IssuesTable:
    if (table := context.settings.file.issues) is None:
        raise Refused(refusals.NO_ISSUES)
    return table


def _once(incident: Incident) -> Incident:
    """The same incident; raises Refused once an issue is filed, or while it is being filed."""
    if (filed := issue_of(incident)) is not None:
        raise Refused(refusals.issue_filed(filed.name, filed.url))
    if being_filed(incident):
        raise Refused(refusals.ISSUE_BEING_FILED)
    return incident


ACTION = Action(
    name=NAME,
    typed="file",
    takes="",
    help="File a GitHub issue with the incident's story; you see its text first.",
    handle=handle,
    permission="file",
    surfaces=IN_THREAD,
    label=_label,
    kill_switch=True,
    dialogs=(NAME,),
    events=(Event.NOTED,),
    effect=Effect(run, check=check),
)
