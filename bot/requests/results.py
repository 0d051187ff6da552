"""Tells a person what came of a request that no incident's thread shows."""

from dataclasses import replace

from bot.context.context import Context
from bot.core.message import Message
from bot.core.notifications.tell import REPLY_URL_SECONDS, LaterResult, LeftToTell, PlainAnswer, Tell
from bot.core.requests.request import Request, Result
from bot.views.answers import plain_answer
from bot.views.thread.results import finished
from bot.views.words.timeline import details_words


def answering(tell: Tell, request: Request | None) -> Tell:
    """The same by the way at which the request can still be answered."""
    if request is None:
        return tell
    return replace(tell, reply_url=request.reply_url, reply_until=request.requested_at + REPLY_URL_SECONDS)


async def judge_result(context: Context, tell: Tell) -> LeftToTell:
    """The result, with the age of its figures at the moment of leaving."""
    if not isinstance(tell.about, LaterResult):
        return LeftToTell()
    about = tell.about
    if about.by_person is None:
        return LeftToTell(plain_answer(details_words(about.details, about.figures)))
    by = "You" if about.by_person else "Tailback"
    return LeftToTell(finished(Result(about.details, figures=about.figures), by, context.now()))


async def judge_answer(_context: Context, tell: Tell) -> LeftToTell:
    """The answer as it was given."""
    return LeftToTell(Message(tell.about.text)) if isinstance(tell.about, PlainAnswer) else LeftToTell()
