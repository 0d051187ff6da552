"""The action Unfollow: no more direct messages about a job or a pool, or about any."""

from bot.context.context import Action, Context
from bot.context.queries import named_pool
from bot.core.requests.interaction import Answer, Interaction
from bot.jobs.following import remove_follower
from bot.notifications.follows import follows_of
from bot.ports import Refused
from bot.sources.job_address import job_address
from bot.views.answers import plain_answer
from bot.views.words import jobs as words


async def handle(context: Context, interaction: Interaction) -> Answer:
    """Without a word, everything that the person follows."""
    text, found = " ".join(interaction.words), await follows_of(context, interaction.who)
    if text:
        address = job_address(text)
        meant = {text, address.text if address else text, named_pool(context.settings.file, text)}
        found = [one for one in found if one.target in meant]
    if not found:
        raise Refused(words.NOT_FOLLOWED if text else words.NOTHING_FOLLOWED)
    for one in found:
        await remove_follower(context, interaction.who, one)
    return Answer(whisper=plain_answer(words.unfollowed(len(found))))


ACTION = Action(
    name="unfollow",
    takes="[JOB_OR_POOL]",
    help="Stop following a job or a pool, or all of them.",
    handle=handle,
    permission="diagnose",
    for_self=True,
)
