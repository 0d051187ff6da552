"""Wherever a figure is shown that is not one of now, the same message says how old it is."""

import re
from dataclasses import replace

import pytest

from bot.core.incident.details.events import Diagnosed, Escalated, QueueingPool
from bot.core.incident.incident import Incident, noted
from bot.core.incident.observe import View, observed
from bot.core.incident.pools import Reported
from bot.core.incident.timeline import Entry, Event
from bot.core.message import Message
from bot.core.pool.early_warning import WarningHistory
from bot.core.pool.pool import Pool
from bot.core.requests.request import Result
from bot.views import answers
from bot.views.export.markdown import markdown
from bot.views.home import Board, home
from bot.views.parent.parent import parent
from bot.views.thread.digest import digest
from bot.views.thread.early_warning import WarningView, warning
from bot.views.thread.replies import reply
from bot.views.thread.results import finished
from tests.slack_limits import texts
from tests.views import samples
from tests.views.samples import BEGAN, TIMING
from tests.views.thread.test_early_warning import STANDS

POOL, AT, WAIT = "linux", BEGAN - 20.0, "2 h 1 min"
FIGURES = re.compile(rf"1,234|{WAIT}|\b0 jobs|[Nn]o queue|[Nn]othing queued")
AGE = re.compile(
    r"over \d+ (min|h) ago|figures since <!date|Latest figures, |Measured <!date|measured 2025|unknown since"
)


def shown(queued: int, now: float, *, within: bool) -> dict[str, list[str]]:
    """The texts of each view, at `now`, of a pool whose last sample is of `AT`; `within` the alert names it."""
    sample = samples.sample(POOL, queued, 7260.0 if queued else None, at=AT, waiting=samples.jobs() if queued else ())
    pool = Pool(POOL, (sample,), "Prometheus: no answer", AT)
    view = samples.view(pool)
    rooted = samples.incident(candidates=(POOL,), affected=(POOL,) if within else ())
    rooted = replace(rooted, thread=replace(rooted.thread, root="1.1"))
    of = observed(rooted, view, now, TIMING)
    of = replace(of, pools=replace(of.pools, reported=Reported(AT, queued, 7260.0, POOL)))
    messages = {
        "parent": parent(of, view, (), now, TIMING),
        "first reply": introduced(rooted, view, now),
        "reply that calls": reply(of, Entry(9, now, Event.ESCALATED, Escalated(900.0)), now),
        "list": answers.incident_list([of], now, {}, view, TIMING),
        "status": answers.status(view, (POOL,), now, TIMING),
        "digest": digest([of], 1, now),
        "warning": warning(WarningView(POOL, STANDS, WarningHistory(STANDS), sample)),
    }
    found = Diagnosed((POOL,), queueing=(QueueingPool(POOL, 60.0),) if queued else ())
    messages["diagnose"] = reply(of, Entry(9, now, Event.DIAGNOSED, found, figures=(sample,)), now)
    messages["diagnose, alone"] = finished(Result(found, figures=(sample,)), "You", now)
    looked = noted(of, now, Event.DIAGNOSED, found, figures=(sample,))
    page = " ".join(texts(home(Board([of], view=view), now, TIMING)))
    drawn = {name: [" ".join(texts(one.blocks)), *texts_of(name, one)] for name, one in messages.items()}
    return {**drawn, "home": [page], "export": [markdown(looked, now)]}


def texts_of(name: str, one: Message) -> list[str]:
    """What a notification says; that of a warning has no figure of the queue."""
    return [] if name == "warning" else [one.text]


def introduced(of: Incident, view: View, now: float) -> Message:
    after = observed(of, view, now, TIMING)
    entry = next(one for one in after.log.timeline if one.number in after.log.outbox)
    return reply(after, entry, now)


@pytest.mark.parametrize("within", [True, False])
@pytest.mark.parametrize("minutes", [4, 20, 600])
@pytest.mark.parametrize("queued", [0, 1234])
def test_an_old_figure_says_how_old_it_is(queued: int, minutes: int, within: bool) -> None:
    places = shown(queued, AT + 60 * minutes, within=within)
    silent = [f"{name}: {text}" for name, all_of in places.items() for text in all_of
              if FIGURES.search(text) and not AGE.search(text)]  # fmt: skip
    assert silent == []
    assert not [text for all_of in places.values() for text in all_of if re.search(r"[^\s*]\(over", text)]


def test_the_patterns_see_figures_of_now() -> None:
    places = shown(1234, AT + 50.0, within=True)
    for name in ("parent", "list", "status", "diagnose", "export", "home"):
        assert any(FIGURES.search(text) for text in places[name]), name
        assert not any(AGE.search(text) for text in places[name]) or name == "status", name
