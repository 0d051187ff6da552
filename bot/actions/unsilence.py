"""End silence: the silence that was made from here ends now instead of later."""

from dataclasses import replace

from bot.core.action import Act, Performed
from bot.core.incident import Incident, Silence, noted
from bot.core.observe import View
from bot.core.offer import Offer, Place, act_id
from bot.core.record import Ready
from bot.core.request import Answer, Request
from bot.core.timeline import Event
from bot.desk import Desk
from bot.ports import Alertmanager, Refused
from bot.stories.ask import acting, fresh_act, permit, request_act, still_permitted, subject

NAME, VERB, USAGE = "unsilence", "unsilence", "unsilence"
HELP = "End the silence early (in an incident's thread)."


def offer(incident: Incident, view: View) -> Offer | None:  # noqa: ARG001 - the contract's shape
    """While a silence of ours is active."""
    return Offer(NAME, "End silence", act_id(incident, NAME), Place.MORE) if incident.active_silence else None


async def ask(desk: Desk, request: Request) -> Answer:
    """Write the request; the worker ends the silence."""
    acting(desk)
    await permit(desk, request.who, request.team, "silence")
    held = await subject(desk, request)
    active = held.value.active_silence
    if active is None:
        raise Refused("There is no active silence of this incident that was made from here.")
    act = fresh_act(desk, request, held, params={"silence": active.id, "back_end": active.alertmanager})
    now = desk.now()
    words = "asked to end the silence."
    await request_act(
        desk, request, held, act, lambda fresh: noted(fresh, now, Event.REQUESTED, words, who=request.who, tell=False)
    )
    return Answer()


async def prepare(desk: Desk, act: Act, incident: Incident | None) -> Ready:
    """Permission and kill switch, once more; and the silence must still be ours."""
    acting(desk)
    if act.who:
        await still_permitted(desk, act.who, "silence")
    _ours(act, incident)
    _back_end(desk, act)
    return Ready(act)


async def effect(desk: Desk, act: Act, incident: Incident | None) -> Performed:
    """End it; ending it twice is fine."""
    if desk.settings.file.actions.shadow:
        return Performed("asked to end the silence; shadow mode, so it stays.")
    await _back_end(desk, act).end(act.params["silence"])
    ended = replace(_ours(act, incident), ended=True)
    return Performed(_words(act), "ended", Event.UNSILENCED, silence=ended, settles=ended.act)


async def check(desk: Desk, act: Act, incident: Incident | None) -> Performed | None:
    """Whether it is over by now."""
    found = await _back_end(desk, act).get(act.params["silence"])
    if found is not None and found.active:
        return None
    ended = replace(_ours(act, incident), ended=True)
    return Performed(_words(act), "ended", Event.UNSILENCED, silence=ended, settles=ended.act)


def _ours(act: Act, incident: Incident | None) -> Silence:
    known = incident.silences if incident else ()
    for silence in known:
        if silence.id == act.params["silence"]:
            return silence
    raise Refused("this silence was not made from here")


def _back_end(desk: Desk, act: Act) -> Alertmanager:
    found = desk.alertmanagers.get(act.params["back_end"])
    if found is None:
        raise Refused(f"[alertmanager.{act.params['back_end']}] is not in tailback.toml any more")
    return found


def _words(act: Act) -> str:
    why = act.params.get("why", "")
    return f"ended the silence: {why}." if why else "ended the silence."
