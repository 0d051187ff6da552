"""Which channel, whom to tell, and which pools an alert speaks of."""

import pytest

from bot.core.alert import Alert
from bot.core.routing import Route, named_pools, route
from tests.builders import alert, resolved, rules

DEFAULT = Route("C0DEFAULT", {}, "S0ALL")
INFRA = Route("C0INFRA", {"team": "pytorch-dev-infra"})
URGENT = Route("C0URGENT", {"team": "infra", "priority": "P0"}, "S0PAGER")


@pytest.mark.parametrize(
    ("alerts", "found"),
    [
        ((alert(),), DEFAULT),
        ((), DEFAULT),
        ((alert(teams=("pytorch-dev-infra",)),), Route("C0INFRA", INFRA.match, "S0ALL")),
        ((alert(labels={"team": "pytorch-dev-infra"}),), Route("C0INFRA", INFRA.match, "S0ALL")),
        ((alert(), alert("b", teams=("x", "pytorch-dev-infra"))), Route("C0INFRA", INFRA.match, "S0ALL")),
        ((alert(teams=("infra",), priority="P0"),), URGENT),
        ((alert(teams=("infra",), priority="P1"),), DEFAULT),
        ((alert(teams=("infra",)), alert("b", priority="P0")), DEFAULT),
        ((alert(labels={"priority": "P0", "team": "infra"}),), URGENT),
        ((alert(), resolved("old", teams=("pytorch-dev-infra",))), DEFAULT),
        ((resolved(teams=("pytorch-dev-infra",)),), Route("C0INFRA", INFRA.match, "S0ALL")),
    ],
)
def test_the_first_route_that_an_alert_matches(alerts: tuple[Alert, ...], found: Route) -> None:
    assert route(alerts, [INFRA, URGENT, Route("C0LATER", {"priority": "P0", "team": "infra"})], DEFAULT) == found


def test_a_route_without_labels_takes_everything() -> None:
    assert route([alert()], [Route("C0ALL"), INFRA], DEFAULT).channel == "C0ALL"


LINUX = rules("linux.2xlarge", {"runner_label": "linux.2xlarge"})
MAC = rules("macos", {"runner_label": "macos-m2"})
ROCM = rules("rocm", {"team": "rocm-queue"})
ANY = rules("windows")
POOLS = [LINUX, MAC, ROCM, ANY]


def labelled(**labels: str) -> Alert:
    return alert(labels={"alertname": "Q", **labels})


@pytest.mark.parametrize(
    ("alerts", "named", "unknown", "candidates"),
    [
        ((labelled(),), (), (), ("linux.2xlarge", "macos", "rocm", "windows")),
        ((), (), (), ("linux.2xlarge", "macos", "rocm", "windows")),
        ((labelled(runner_label="linux.2xlarge"),), ("linux.2xlarge",), (), ("linux.2xlarge",)),
        ((labelled(runner_label="macos-m2"),), ("macos",), (), ("macos",)),
        ((labelled(queue="macos"),), ("macos",), (), ("macos",)),
        ((labelled(machine_type="windows"),), ("windows",), (), ("windows",)),
        ((labelled(RunnerType="linux.2xlarge"),), ("linux.2xlarge",), (), ("linux.2xlarge",)),
        ((labelled(pool="gone"),), (), ("gone",), ("linux.2xlarge", "macos", "rocm", "windows")),
        ((labelled(pool="gone", team="infra"),), (), ("gone",), ("linux.2xlarge", "macos", "windows")),
        ((labelled(name="windows-x7k2p"),), ("windows",), (), ("windows",)),
        ((labelled(name="windows"),), ("windows",), (), ("windows",)),
        ((labelled(name="windows-house"),), (), (), ("linux.2xlarge", "macos", "rocm", "windows")),
        ((labelled(pool="gone"), labelled(pool="macos")), ("macos",), ("gone",), ("macos",)),
        ((labelled(team="rocm-queue"),), ("rocm",), (), ("rocm",)),
        ((labelled(team="infra"),), (), (), ("linux.2xlarge", "macos", "windows")),
        ((alert(labels={}, teams=("infra",)),), (), (), ("linux.2xlarge", "macos", "windows")),
        ((labelled(team="infra"), labelled()), (), (), ("linux.2xlarge", "macos", "rocm", "windows")),
        ((labelled(pool=""),), (), (), ("linux.2xlarge", "macos", "rocm", "windows")),
    ],
)
def test_the_pools_that_alerts_speak_of(
    alerts: tuple[Alert, ...], named: tuple[str, ...], unknown: tuple[str, ...], candidates: tuple[str, ...]
) -> None:
    """Named by label, or by `match`; when none is named, every pool that the labels do not rule out."""
    found = named_pools(alerts, POOLS)
    assert (found.named, found.unknown, found.candidates) == (named, unknown, candidates)


def test_without_pools_nothing_is_measured() -> None:
    assert named_pools([labelled()], []).candidates == ()


def test_facts_are_matched_as_labels_are() -> None:
    spoken = alert(labels={"zone": "a"}, facts={"zone": "b", "runner_label": "linux.2xlarge", "repository": "x/y"})
    assert named_pools([spoken], [LINUX, rules("mac")]).named == ("linux.2xlarge",)
    for match in ({"zone": "a"}, {"zone": "b"}, {"repository": "x/y"}):
        assert route([spoken], [Route("C1", match)], DEFAULT).channel == "C1"


@pytest.mark.parametrize(
    ("labels", "unknown"),
    [
        ({"cluster": "b"}, ("cluster=b",)),
        ({"cluster": "b", "name": "other-set-x2k4z"}, ("cluster=b", "name=other-set-x2k4z")),
        ({"cluster": "a"}, ()),
        ({"severity": "page"}, ()),
    ],
)
def test_an_alert_that_names_none_of_ours_says_so_by_any_label(
    labels: dict[str, str], unknown: tuple[str, ...]
) -> None:
    """All pools are measured, which is right, and the first message says what the alert named."""
    pools = [rules("one", {"cluster": "a", "name": "set-one"}), rules("two", {"cluster": "a", "name": "set-two"})]
    found = named_pools([labelled(**labels)], pools)
    assert (found.candidates, found.named, found.unknown) == (("one", "two"), (), unknown)
