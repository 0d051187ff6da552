"""Extend a silence: it goes on, counted from now, in the back end that holds it, perhaps under another id."""

from dataclasses import replace

from bot.context.context import Desk
from bot.core.external import SilenceFound
from bot.core.incident.incident import Incident, noted
from bot.core.incident.observe import View
from bot.core.incident.reply_buttons import decided
from bot.core.incident.silence import PROLONG, Silence, warn_at
from bot.core.incident.timeline import Event
from bot.core.record import Held, Ready
from bot.core.requests.interaction import Answer, Request
from bot.core.requests.offer import Offer
from bot.core.requests.request import Act, Performed
from bot.core.words import duration
from bot.ports import Alertmanager, Refused
from bot.requests.permission import acting, permit, request_act, still_permitted, subject
from bot.requests.reply_buttons import below, own_of
from bot.silencing.silence import wanted

NAME, VERB, USAGE = PROLONG, "prolong", "prolong [DURATION]"
HELP = "Extend the silence (in an incident's thread): for as long again from now, or for a duration."
LEAST_SECONDS = 60.0
"""An extension by less is a second click."""
USUAL_SECONDS = 3600.0
"""For a silence whose first length is not on record any more."""
OVER = "That silence is over; silence again if it is needed."


def offer(incident: Incident, view: View) -> Offer | None:  # noqa: ARG001 - the contract's shape
    """Its button stands below the replies that speak of the silence."""
    return None


async def ask(desk: Desk, request: Request) -> Answer:
    """Write the request; the worker extends the silence."""
    acting(desk)
    await permit(desk, request.who, request.team, "silence")
    held, silence = await _meant(desk, request)
    now, most = desk.now(), _back_end(desk, silence).max_silence_seconds
    length = await _length(desk, request, silence, most)
    if now + length - silence.ends_at < LEAST_SECONDS:
        left = duration(silence.ends_at - now)
        raise Refused(f"It lasts for {left} more already. Say for how long from now, for example `prolong 4h`.")
    params = {"of": silence.act, "seconds": f"{length:.0f}"}
    act = Act(
        id=await own_of(desk, request, held, silence.act, f"{silence.ends_at:.0f}"),
        name=NAME,
        who=request.who,
        channel=held.value.thread.channel,
        requested_at=now,
        incident=held.value.id,
        params=params,
    )
    words = f"asked to extend the silence to {duration(length)} from now."

    def move(fresh: Incident) -> Incident:
        told = decided(fresh, request.act, "Extended.", (NAME,)) if request.act else fresh
        return noted(told, now, Event.REQUESTED, words, who=request.who, tell=False)

    await request_act(desk, request, held, act, move)
    return Answer()


async def prepare(desk: Desk, act: Act, incident: Incident | None) -> Ready:
    """Permission and kill switch, once more; and the new end, which stays the same however often it is tried."""
    acting(desk)
    await still_permitted(desk, act.who, "silence")
    silence = _known(act, incident)
    length = min(float(act.params["seconds"]), _back_end(desk, silence).max_silence_seconds)
    ends = act.params.get("until") or f"{desk.now() + length:.3f}"
    return Ready(replace(act, params={**act.params, "until": ends}))


async def effect(desk: Desk, act: Act, incident: Incident | None) -> Performed:
    """Give it the new end."""
    silence = _known(act, incident)
    if desk.settings.file.actions.shadow:
        return Performed("asked to extend the silence; shadow mode, so its end stays.")
    ends = float(act.params["until"])
    found = await _back_end(desk, silence).extend(silence.id, ends)
    return _performed(desk, silence, found)


async def check(desk: Desk, act: Act, incident: Incident | None) -> Performed | None:
    """Look for the silence, which carries the id of the action that made it; extended when it lasts until then."""
    silence = _known(act, incident)
    found = await _back_end(desk, silence).find(f"[tailback {silence.act}]")
    if found is None or "until" not in act.params or found.ends_at < float(act.params["until"]) - 1:
        return None
    return _performed(desk, silence, found)


def _performed(desk: Desk, silence: Silence, found: SilenceFound) -> Performed:
    now = desk.now()
    after = replace(silence, id=found.id, ends_at=found.ends_at, ended=False, warn_at=warn_at(found.ends_at, now))
    words = f"extended the silence: it lasts for {duration(found.ends_at - now)} more."
    done = Performed(words, f"silence {found.id}", Event.SILENCED, silence=after, settles=silence.act)
    return replace(done, offers=(NAME,), about=silence.act)


async def _meant(desk: Desk, request: Request) -> tuple[Held[Incident], Silence]:
    """The silence that a button below a reply is about, or the one of the thread in which it is said."""
    if not request.act:
        held = await subject(desk, request)
        if (active := held.value.active_silence) is None:
            raise Refused("There is no active silence of this incident that was made from here.")
        return held, active
    about, held = await below(desk, request)
    if held.value.closed:
        raise Refused("This incident is over; nothing was done.")
    return held, _of(about, held.value)


async def _length(desk: Desk, request: Request, silence: Silence, most_seconds: float) -> float:
    """How long from now: as was said, else as long as at first."""
    if request.words:
        length, wrong = wanted(" ".join(request.words), most_seconds)
        if wrong:
            raise Refused(wrong)
        return length
    made = await desk.act(silence.act)
    return min(float(made.params.get("seconds", USUAL_SECONDS)) if made else USUAL_SECONDS, most_seconds)


def _known(act: Act, incident: Incident | None) -> Silence:
    if incident is None:
        raise Refused("the incident is not known any more")
    return _of(act.params["of"], incident)


def _of(made_by: str, incident: Incident) -> Silence:
    silence = next((one for one in incident.silences if one.act == made_by), None)
    if silence is None or silence.ended:
        raise Refused(OVER)
    return silence


def _back_end(desk: Desk, silence: Silence) -> Alertmanager:
    found = desk.alertmanagers.get(silence.alertmanager)
    if found is None:
        raise Refused(f"[alertmanager.{silence.alertmanager}] is not in tailback.toml any more")
    return found
