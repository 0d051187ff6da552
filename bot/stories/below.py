"""Somebody presses a button below a reply, or says the same in its thread: which act that is about."""

from bot.core.incident import Incident
from bot.core.record import Held
from bot.core.request import Request
from bot.desk import Desk
from bot.ports import Refused


async def below(desk: Desk, request: Request) -> tuple[str, Held[Incident]]:
    """(the act, its incident). The button's value is only an id: channel and thread must be those of the incident (C8).

    In words, it is the newest reply of the thread that still offers the action. Raises Refused.
    """
    if request.act:
        return request.act, await _of_button(desk, request)
    found = await desk.store.find(f"thread:{request.channel}:{request.thread}") if request.thread else None
    held = await desk.store.get(Incident, found) if found else None
    if held is None:
        raise Refused("Ask in the thread of an incident, or press the button below its reply.")
    for entry in reversed(held.value.timeline):
        if request.name in entry.choices:
            return entry.about, held
    raise Refused("Nothing in this thread waits for that.")


async def _of_button(desk: Desk, request: Request) -> Held[Incident]:
    act = await desk.act(request.act)
    held = await desk.store.get(Incident, act.incident) if act and act.incident else None
    if held is None:
        raise Refused("Tailback does not know this any more, so nothing was done.")
    there = await desk.store.find(f"thread:{request.channel}:{request.thread}") if request.thread else None
    if there != held.value.id:
        raise Refused("This button belongs to another thread; nothing was done.")
    return held
