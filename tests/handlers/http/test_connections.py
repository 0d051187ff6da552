"""How many connections a server keeps: whom it closes when there are too many, and whom never."""

from dataclasses import dataclass, field

import pytest
from prometheus_client import CollectorRegistry

from handlers.http import metrics
from handlers.http.header_limits import Connections


@dataclass(eq=False)
class Line:
    """A connection in memory."""

    address: str = "10.0.0.1"
    idle: bool = True
    served: bool = False
    cut: bool = field(default=False)

    def cut_off(self) -> None:
        self.cut = True


def counted(limit: str) -> float:
    """How many were closed for this limit, ever."""
    assert isinstance(metrics.REGISTRY, CollectorRegistry)
    return metrics.REGISTRY.get_sample_value("tailback_connections_closed_total", {"limit": limit}) or 0.0


def test_the_oldest_ones_without_a_request_go_first() -> None:
    """32 idle connections of one host where 8 are allowed: the ones that were of use stay."""
    before, known = counted("address"), Connections(1000, 8)
    lines = [Line(served=number < 4) for number in range(32)]
    for line in lines:
        known.opened(line)
    left = [number for number, line in enumerate(lines) if not line.cut]
    assert left == [0, 1, 2, 3, 28, 29, 30, 31]
    assert counted("address") == before + 24


def test_a_connection_with_a_request_in_progress_is_never_closed() -> None:
    """A storm by one proxy is many connections of one address, and none of them is idle."""
    known = Connections(1000, 8)
    lines = [Line(idle=False, served=True) for _ in range(500)]
    for line in lines:
        known.opened(line)
    assert not any(line.cut for line in lines)


def test_above_the_total_an_idle_one_of_any_address_goes_or_else_the_new_one() -> None:
    """Whoever is being answered is not cut off for a newcomer."""
    known = Connections(3, 100)
    busy = [Line("10.0.0.1", idle=False), Line("10.0.0.2", idle=False)]
    quiet, late, later = Line("10.0.0.3"), Line("10.0.0.4", idle=False), Line("10.0.0.5", idle=False)
    for line in [*busy, quiet, late, later]:
        known.opened(line)
    assert [line.cut for line in [*busy, quiet, late, later]] == [False, False, True, False, True]


@pytest.mark.parametrize("times", [1, 2])
def test_what_has_closed_by_itself_counts_no_more(times: int) -> None:
    known = Connections(1, 100)
    gone, new = Line(), Line()
    known.opened(gone)
    for _ in range(times):
        known.closed(gone)
    known.opened(new)
    assert not new.cut
