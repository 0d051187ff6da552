"""Store what a person is told later, and find what could not be told.

`bot/notifications/deliver.py` sends it. docs/design/notifications.md shows how to add something to tell.
"""

import contextlib
from dataclasses import replace

from bot.context.context import Context
from bot.context.save import put_new
from bot.core.notifications.tell import REPLY_URL_SECONDS, JobQuestion, ReportRequest, Tell, Way, tell_id
from bot.core.record import Change, Conflict, Put
from bot.core.requests.interaction import Interaction

AGAIN_SECONDS = 1.0
"""When an answer that was not ready is looked for again."""
KEPT_SECONDS = 7 * 86400.0
"""How long it is known that something was told, so that it is not told again."""


def unread_list(who: str) -> str:
    """The list of what no way led to a person with."""
    return f"unread:{who}"


async def tell_later(context: Context, tell: Tell) -> tuple[Put, ...]:
    """The writes that belong into the change that causes it; none if the person is told of this already.

    The id comes from `who` and `once`. Two processes that write it at once: one gets a Conflict. Raises Unreachable.
    """
    named = replace(tell, id=tell_id(tell.who, tell.once), stored_at=context.now())
    if not named.who or await context.store.get(Tell, named.id) is not None:
        return ()
    return (put_new(named, max(named.when, context.now())),)


async def answer_later(
    context: Context, interaction: Interaction, question: JobQuestion | ReportRequest, way: Way = Way.PRIVATE
) -> None:
    """Answer a question once the answer is made; asking again meanwhile makes no second one."""
    tell = Tell(
        "",
        interaction.who,
        question,
        when=context.now() + AGAIN_SECONDS,
        once=f"{question.kind}:{interaction.key}",
        way=way,
        channel=interaction.channel,
        thread=interaction.thread,
        reply_url=interaction.reply_url,
        reply_until=context.now() + REPLY_URL_SECONDS if interaction.reply_url else 0.0,
    )
    with contextlib.suppress(Conflict):
        await context.store.commit(Change(puts=await tell_later(context, tell)))


async def unread(context: Context, who: str) -> list[Tell]:
    """What no way led to the person with, oldest first; from now on it counts as told. Raises Unreachable."""
    found = await context.store.get_many(Tell, list(await context.store.listed(unread_list(who))))
    waiting = sorted(
        (one for one in found.values() if one.value.listed and one.value.ended_at is None),
        key=lambda one: one.value.stored_at,
    )
    shown = []
    for held in waiting:
        over = replace(held.value, ended_at=context.now())
        try:
            await context.store.commit(Change(puts=(Put(held, over, None, keep_seconds=KEPT_SECONDS),)))
        except Conflict:
            continue  # another process shows it at this moment
        shown.append(held.value)
    return shown
