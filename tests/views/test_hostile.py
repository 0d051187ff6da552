"""Whatever comes from outside: nothing pings, links, breaks a limit or raises (C5, SE-1, SL-7)."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest

from bot.core.alert import silence_matchers
from bot.core.finding import Finding, Scaling
from bot.core.incident.details.events import Diagnosed, PlainText, QueueingPool
from bot.core.incident.incident import Incident, State
from bot.core.incident.observe import View
from bot.core.incident.silence import Silence
from bot.core.incident.timeline import Entry, Event
from bot.core.message import Message
from bot.core.pool.early_warning import Ending, WarningHistory
from bot.core.pool.outlook import RunnerPrice
from bot.core.pool.pool import PoolRules, Snapshot
from bot.core.requests.interaction import Offer, Place
from bot.core.requests.request import Result
from bot.core.scaling.lease import Lease, PoolLeases
from bot.core.statement import statement
from bot.views import answers
from bot.views.dialogs.modals import notice, silence_modal
from bot.views.dialogs.scale import ScaleChoice, ScaleRow, scale_answer, scale_modal
from bot.views.home import Board, home
from bot.views.parent.parent import minimal, parent
from bot.views.thread import results
from bot.views.thread.digest import digest
from bot.views.thread.early_warning import WarningView, warning
from bot.views.thread.replies import reply
from bot.views.words.forecasts import Preview
from tests.builders import with_fields
from tests.slack_limits import message_problems, view_problems
from tests.views import samples
from tests.views.samples import HOSTILE, NOW, TIMING
from tests.views.thread.test_early_warning import LATEST, STANDS

ACT = "inc_1.0123456789ab"
BIG = HOSTILE + "x" * 50_000
PREVIEW = Preview((BIG,) * 60, ((BIG,) * 5,) * 60)
SEEN = tuple(statement("as_written", text=BIG) for _ in range(60))
CAUSE = Finding(BIG, 1.0, SEEN, Scaling.NO, "limit", pool=BIG)
EARLY = WarningView(BIG, STANDS, WarningHistory(STANDS), replace(LATEST, pool=HOSTILE), CAUSE)
TAKEN_OVER = replace(STANDS, ended_at=NOW, ending=Ending.FIRED)


def diagnosed(measured: tuple[Snapshot, ...]) -> Diagnosed:
    names = tuple(sample.pool for sample in measured)
    unread = {f"{number}{HOSTILE}": BIG for number in range(60)}
    return Diagnosed((*names, *unread), queueing=tuple(QueueingPool(name, 1.0) for name in names), unread=unread)


@cache
def messages() -> dict[str, Callable[[], Message]]:
    """Every message that is built, over the worst input; drawn when a test asks."""
    of, seen = samples.hostile_incident()
    samples_of = tuple(pool.samples[-1] for pool in seen.pools.values())
    entry = Entry(1, NOW - 900, Event.DIAGNOSED, PlainText(BIG, (BIG,) * 60), HOSTILE, (), samples_of, broadcast=True)
    over = replace(of, state=State.DRAINED, closed_at=NOW)
    return {
        "parent": lambda: parent(of, seen, samples.offers(of), NOW, TIMING),
        "parent, stale": lambda: parent(of, seen, samples.offers(of), NOW + 9e6, TIMING),
        "parent, unmeasured": lambda: parent(of, View(), samples.offers(of), NOW, TIMING),
        "parent, closed": lambda: parent(over, seen, (), NOW, TIMING),
        "minimal": lambda: minimal(of),
        "reply": lambda: reply(of, entry, NOW),
        "digest": lambda: digest([with_fields(of, id=str(n), title=f"{n}{BIG}") for n in range(120)], 120, NOW),
        "status": lambda: answers.status(seen, tuple(seen.pools), NOW, TIMING),
        "list": lambda: answers.incident_list([of] * 60, NOW, {of.id: f"https://e.example/{HOSTILE}"}, seen),
        "help": lambda: answers.help_text([(BIG, BIG)] * 60),
        "refusal": lambda: answers.refusal(BIG),
        "said": lambda: answers.plain_answer(BIG),
        "diagnosed": lambda: results.finished(Result(diagnosed(samples_of), figures=samples_of), "You", NOW),
        "outcome": lambda: results.finished(
            Result(PlainText(BIG, (HOSTILE, BIG) * 40), figures=samples_of * 3), "You", NOW
        ),
        "question": lambda: results.ask_to_scale(ACT, BIG, 10**40, -(10**40)),
        "duplicate": lambda: results.duplicate(f"https://e.example/|<!channel>{HOSTILE}"),
        "returned": lambda: results.returned_to_channel("javascript:alert(1)|<!here>"),
        "undrawable": lambda: results.undrawable(HOSTILE),
        "early warning": lambda: warning(EARLY),
        "early warning, over": lambda: warning(
            replace(EARLY, episode=TAKEN_OVER, incident_link=f"https://e.example/{HOSTILE}")
        ),
        "nothing said": lambda: answers.plain_answer(""),
    }


def board(of: Incident, seen: View) -> Board:
    """Far more than fits on App Home."""
    offers = {of.id: [Offer(f"{place}{n}", "Press", ACT, place) for place in Place for n in range(4)]}
    leases = [PoolLeases(BIG, leases=(Lease("a", HOSTILE, "C1", 10**12, 1, NOW, of.id, ends_at=1e18),) * 30)] * 9
    rules = {name: PoolRules(name) for name in seen.pools}
    links = {of.id: "https://e.example/|<!channel>"}
    silences = tuple(Silence(f"{n}", BIG, NOW + 60 * n, HOSTILE, BIG) for n in range(60))
    every = [replace(of, silences=silences)] * 200
    return Board(every, every, replace(seen, rules=rules), offers, links, leases, 10**9)


@cache
def views() -> dict[str, Callable[[], object]]:
    of, seen = samples.hostile_incident()
    one = ScaleChoice("linux", 1, 10**12, None, None, 10**12, 9e9, RunnerPrice(1e9, 10**12), BIG, 10**12)
    return {
        "silence": lambda: silence_modal(ACT, of, silence_matchers(of.group.alerts), 1e12),
        "scale": lambda: scale_modal(
            ACT,
            [
                one,
                replace(one, pool=BIG),
                replace(one, pool=HOSTILE[:70], proposed=None),
                *[replace(one, pool=f"p{n}") for n in range(150)],
            ],
            [ScaleRow(10**40 + n, 10**40, BIG) for n in range(30)],
            PREVIEW.above,
            [BIG] * 60,
        ),
        "answer": lambda: scale_answer(ACT, one, [ScaleRow(10**40, 10**40, BIG)], PREVIEW.above, [BIG] * 60),
        "notice": lambda: notice(BIG, [BIG] * 60),
        "home": lambda: home(board(of, seen), NOW, TIMING),
    }


@pytest.mark.parametrize("name", [*messages(), *views()])
def test_nothing_breaks_a_limit_pings_or_links_over_hostile_input(name: str) -> None:
    """One oracle reads the structure, the other the bytes that would be sent."""
    drawn = {**messages(), **views()}[name]()
    if isinstance(drawn, Message):
        assert message_problems(drawn) == []
        drawn = {"t": drawn.text, "b": drawn.blocks}
    else:
        assert isinstance(drawn, dict)
        assert view_problems(drawn) == []
    sent = json.dumps(drawn, ensure_ascii=False)
    assert sent.encode()
    assert not re.search(r"<[!@#](?!date\^\d)", sent)
    assert "<https://evil" not in sent
    assert "javascript:" not in sent


@pytest.mark.parametrize("rows", [0, 1, 60])
def test_an_incident_about_which_nothing_is_known_can_be_drawn(rows: int) -> None:
    names = tuple(f"p{n}" for n in range(rows))
    of = samples.incident(
        samples.alert(name="", values={}, labels={}, teams=(), priority=None), candidates=names, title=""
    )
    drawn = parent(of, View(), (), NOW, TIMING)
    assert message_problems(drawn) == []
    assert drawn.text.startswith("🔴 OPEN · Alert without a title: ")
