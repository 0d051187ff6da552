"""The check after every test: it finds each broken promise, and is silent where all were kept."""

from dataclasses import replace

import pytest

from bot.core.audit_chain import AuditEntry
from bot.core.scaling.lease import Lease, PoolLeases
from tests.invariants import Effect, broken, forgotten, undercut

RAISE = Effect("p", 24, "inc1.aa", before=10, most=40, at=100.0)
BACK = Effect("p", 10, "inc1.bb.10", before=24, most=40, at=200.0)
TRAIL = [
    AuditEntry(90.0, "U0ANA", "scale_up", {"target": "24"}, outcome="asked", act="inc1.aa"),
    AuditEntry(99.0, "U0ANA", "scale_up", {"target": "24"}, outcome="sent", act="inc1.aa"),
    AuditEntry(199.0, "tailback", "hand_back", {"target": "10"}, outcome="sent", act="inc1.bb"),
]


def test_kept_promises_are_silent() -> None:
    """A raise that was asked for and written down, its repeat with the same key, and its return."""
    assert broken([RAISE, RAISE, BACK], TRAIL) == []


@pytest.mark.parametrize(
    ("effects", "trail", "sentence"),
    [
        ([replace(RAISE, most=20)], TRAIL, "above the limit of 20"),
        ([replace(RAISE, before=30)], TRAIL, "lowered p from 30 to 24"),
        ([replace(RAISE, at=98.0)], TRAIL, "before the audit trail knew of it"),
        ([RAISE], TRAIL[2:], "before the audit trail knew of it"),
        ([replace(RAISE, target=25)], TRAIL, "speaks of another target"),
        ([RAISE, replace(RAISE, target=30)], TRAIL, "one effect per click"),
        ([RAISE], TRAIL[1:], "nobody asked for it"),
        ([replace(BACK, at=198.0)], TRAIL, "before the audit trail knew of it"),
    ],
)
def test_a_broken_promise_is_named(effects: list[Effect], trail: list[AuditEntry], sentence: str) -> None:
    assert any(sentence in found for found in broken(effects, trail))


def test_what_others_set_in_between_is_never_undercut() -> None:
    """A return goes to what was there before, and no further than to what somebody else has set since."""
    sentence = "inc1.bb.10 set 10: below the {} that others had set"
    assert undercut([RAISE, BACK]) == []
    assert undercut([RAISE, replace(BACK, before=30)]) == [sentence.format(30)]
    assert undercut([replace(RAISE, before=12), BACK]) == [sentence.format(12)]
    assert undercut([RAISE, replace(BACK, before=5)]) == []
    assert undercut([RAISE, replace(BACK, pool="q", before=11)]) == [sentence.format(11)]
    assert undercut([RAISE, replace(BACK, before=None)]) == [], "nobody knows"


def test_a_lease_that_nobody_will_look_at_is_found() -> None:
    """Extra capacity with an end must be due; without an end it stays until somebody gives it back."""
    share = Lease("inc1.aa", "U0ANA", "C0", 24, 10, 90.0, ends_at=7290.0)
    lent = {"p": PoolLeases("p", leases=(share,))}
    assert forgotten(lent, {"lease:p"}) == []
    assert forgotten(lent, set()) == ["the lease of p is not due: nobody would hand it back"]
    assert forgotten({"p": PoolLeases("p", leases=(replace(share, ends_at=None),))}, set()) == []
