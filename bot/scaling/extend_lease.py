"""The action Extend on extra runners: one more lease, counted from now."""

from bot.context.context import IN_THREAD, Action, Context
from bot.context.save import keep
from bot.core.incident.details.scaling import LeaseNoted, LeaseStep
from bot.core.incident.incident import Incident, noted
from bot.core.incident.reply_buttons import decided
from bot.core.incident.timeline import Decision, Event
from bot.core.record import AlreadyDone, AuditEntry, Put
from bot.core.requests.interaction import Answer, Interaction
from bot.core.scaling.lease import EXTEND, HAND_BACK, extended
from bot.core.words import duration
from bot.ports import Refused
from bot.scaling.hand_back import lease_in_thread
from bot.scaling.limits import lever_of
from bot.views.words import refusals

LEAST_SECONDS = 60.0
"""A smaller extension counts as a second click."""


async def ask(context: Context, interaction: Interaction) -> Answer:
    """Store the new end in the lease's record."""
    found = await lease_in_thread(context, interaction)
    incident, lease, share = found.incident, found.lease, found.share
    if share.returning:
        raise Refused(refusals.RETURNING_THOSE)
    length, now = lever_of(context, lease.value.id).policy.lease_seconds, context.now()
    if length is None or share.ends_at is None:
        raise Refused(refusals.NO_LEASE)
    if now + length - share.ends_at < LEAST_SECONDS:
        raise Refused(refusals.stays_anyway(duration(share.ends_at - now)))
    kept = LeaseNoted(LeaseStep.EXTENDED, lease.value.id, share.target, length)

    def move(fresh: Incident) -> Incident:
        return noted(
            decided(fresh, share.act, Decision.EXTENDED, (EXTEND,)), now, Event.LENT, kept, who=interaction.who
        )

    parameters = {"pool": lease.value.id, "target": f"{share.target}", "seconds": f"{length:.0f}"}
    audit = AuditEntry(
        now, interaction.who, EXTEND, parameters, outcome="extended", act=share.act, incident=incident.value.id
    )
    put = Put(lease, extended(lease.value, share, now + length), now)
    try:
        await keep(context, incident, move, due=now, also=(put,), audit=(audit,), once=(f"request:{interaction.key}",))
    except AlreadyDone:
        raise Refused(refusals.ALREADY_EXTENDED) from None
    return Answer()


ACTION = Action(
    name=EXTEND,
    verb="extend",
    usage="extend",
    help="Keep extra runners for one more lease (in an incident's thread).",
    ask=ask,
    permission="scale",
    surfaces=IN_THREAD,
    kill_switch=True,
    meant_by=(HAND_BACK,),
)
