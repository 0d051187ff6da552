"""A second person decides on what somebody asked for: for exactly that, in time, and never the one who asked."""

from bot.context.context import Desk
from bot.context.save import Move
from bot.core.incident.incident import Incident, noted
from bot.core.incident.reply_buttons import offering
from bot.core.incident.timeline import Event
from bot.core.record import Held
from bot.core.requests.interaction import Request
from bot.core.requests.request import Act, Progress
from bot.core.scaling.limits import needs_approval
from bot.core.words import how_long
from bot.ports import Refused
from bot.requests.permission import still_permitted
from bot.requests.reply_buttons import below
from bot.scaling.limits import lever_of

CHOICES = ("approve", "decline")


def askable(desk: Desk, pool: str, target: int, *, in_thread: bool) -> None:
    """Raise Refused when a second person is needed and there is nobody, or no thread, to ask."""
    policy = lever_of(desk, pool).policy
    if not needs_approval(policy, target):
        return
    above = f"A target above {policy.approval_above:,} needs a second person to agree (`approval_above`)"
    if not desk.settings.file.permissions.approve:
        raise Refused(f"{above}, but nobody may: `permissions.approve` in tailback.toml is empty. Nothing was done.")
    if not in_thread:
        raise Refused(
            f"{above}, and that is asked for in an incident's thread: press Scale up there. Nothing was done."
        )


def asked_for_two(desk: Desk, act: Act, now: float) -> Move:
    """The thread asks for the second person, with buttons, and names the first group or person that may."""
    may = [one for one in desk.settings.file.permissions.approve if one not in {"anyone", act.who}]
    left = how_long((act.lapses_at or now) - now, desk.settings.file.paces.speed)
    words = (
        f"asked to scale {act.pool} from {act.params['from']} to {act.params['target']} runners. "
        f"A second person must agree within {left}; until then nothing is done."
    )

    def move(fresh: Incident) -> Incident:
        return offering(
            noted(fresh, now, Event.APPROVAL, words, who=act.who), act.id, CHOICES, whom=may[0] if may else None
        )

    return move


async def awaited(desk: Desk, request: Request) -> tuple[Held[Act], Held[Incident]]:
    """The request that waits for a second person, and its incident; raises Refused with what became of it."""
    about, incident = await below(desk, request)
    held = await desk.store.get(Act, about)
    if held is None:
        raise Refused("Tailback does not know this request any more, so nothing was done.")
    act = held.value
    if act.agreed_by:
        raise Refused("That was already approved", act.agreed_by)
    if act.progress is not Progress.AWAITING:
        raise Refused(f"There is nothing left to decide: {act.outcome or 'it was not confirmed'}")
    if act.lapses_at is not None and desk.now() >= act.lapses_at:
        raise Refused("This request has lapsed; ask again with Scale up.")
    if incident.value.closed:
        raise Refused("This incident is over; nothing was done.")
    return held, incident


async def agreement(desk: Desk, act: Act, target: int) -> None:
    """At the moment of doing: raise Refused unless what is done needs nobody, or somebody else agreed to exactly it."""
    policy = lever_of(desk, act.pool or "").policy
    if not act.agreed_by:
        if needs_approval(policy, target):
            raise Refused(f"A target above {policy.approval_above:,} needs a second person to agree, and nobody did.")
        return
    if act.agreed_by == act.who or act.agreed_to != act.fingerprint or str(target) != act.params["target"]:
        raise Refused("What could be done now is not exactly what was agreed to. Ask again with Scale up.")
    await still_permitted(desk, act.agreed_by, "approve")


def scale_words(act: Act) -> str:
    """What is decided on."""
    return f"scaling {act.pool} from {act.params.get('from', '?')} to {act.params.get('target', '?')} runners"
