"""Five hundred pools and two hundred incidents on every screen: Slack takes it, and it says what is left out."""

from dataclasses import replace

from bot.core.alert import Matcher
from bot.core.incident.observe import View
from bot.core.pool.pool import PoolRules
from bot.core.reporting.summary import ReportData
from bot.core.scaling.lease import Lease, PoolLeases
from bot.views import answers
from bot.views.dialogs.modals import notice, silence_modal
from bot.views.home import Board, home
from bot.views.parent.parent import parent
from bot.views.report.report import reported
from tests.builders import NOW, TIMING, alert, candidates, incident, named, samples, with_fields
from tests.core.reporting.whole import report
from tests.slack_limits import message_problems, texts, view_problems

POOLS = [f"team-{number:03}.linux.4xlarge" for number in range(500)]
VIEW = View(
    {name: samples(place, pool=name) for place, name in enumerate(POOLS)}, {name: PoolRules(name) for name in POOLS}
)
OPEN = [
    incident(alert(), id=f"i{place:03}", pools=named(POOLS[place]), opened_at=NOW - 60 * place) for place in range(200)
]


def board() -> Board:
    leases = [PoolLeases(name, leases=(Lease("a", "U0ANA", "C1", 20, 10, NOW),)) for name in POOLS[:60]]
    links = {one.id: f"https://example.slack.com/archives/C1/p{one.id}" for one in OPEN}
    return Board(OPEN, OPEN[:5], VIEW, permalinks=links, leases=leases)


def test_app_home_shows_the_gravest_and_counts_the_others() -> None:
    drawn = home(board(), NOW, TIMING)
    assert view_problems(drawn) == []
    text = "\n".join(texts(drawn))
    assert all(words in text for words in ("200 open incidents", "+ 160 more incidents", "488 more pools", "+ 50 more"))
    assert text.index(POOLS[199]) < text.index(POOLS[170])


def test_the_list_and_the_choice_of_a_command_say_how_many_they_leave_out() -> None:
    listed = answers.incident_list(OPEN, NOW, {}, VIEW, TIMING)
    choice = answers.incident_choice([(one, one.id) for one in OPEN], "ack", "Acknowledge")
    assert (message_problems(listed), message_problems(choice)) == ([], [])
    assert "of which the 20 most urgent" in listed.text
    assert POOLS[199] in listed.text
    assert "180 incidents are left out" in choice.text


def test_status_shows_the_worst_pools_and_counts_the_others() -> None:
    shown = answers.status(VIEW, POOLS, NOW, TIMING)
    assert message_problems(shown) == []
    assert POOLS[499] in shown.text
    assert "+ 488 more pools" in shown.text


def test_a_first_message_of_all_pools_names_those_in_trouble_and_counts_those_that_are_fine() -> None:
    of = with_fields(incident(alert(), pools=candidates(*POOLS)), affected=tuple(POOLS[488:]))
    calm = {name: samples(0, pool=name) for name in POOLS[:488]}
    drawn = parent(of, replace(VIEW, pools={**VIEW.pools, **calm}), (), NOW, TIMING)
    assert message_problems(drawn) == []
    text = "\n".join(texts(drawn.blocks))
    assert text.index(POOLS[499]) < text.index(POOLS[490])
    assert "488" in text


def test_a_report_fits_one_message_and_says_what_it_leaves_out() -> None:
    data = ReportData(NOW - 7 * 86400, NOW + 1, incidents=tuple(OPEN), rules=VIEW.rules)
    drawn = reported(report(data))
    assert message_problems(drawn) == []
    assert "more" in "\n".join(texts(drawn.blocks))
    assert message_problems(reported(report(data), weekly=True)) == []


def test_the_dialog_of_a_silence_with_many_matchers_and_lines_fits_a_modal() -> None:
    many = [Matcher(f"label_{number}", "v" * 300) for number in range(200)]
    drawn = silence_modal("i1.abc", incident(alert(), pools=candidates(*POOLS)), many, 86_400)
    assert view_problems(drawn) == []
    assert "+ 185 more matchers" in "\n".join(texts(drawn))
    long = notice("Many", [f"line {number}" for number in range(300)])
    assert view_problems(long) == []
    assert "+ 280 more lines" in "\n".join(texts(long))
