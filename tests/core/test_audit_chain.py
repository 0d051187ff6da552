"""The audit trail's hash chain: what it shows, and what it survives."""

from dataclasses import replace

import pytest

from bot.core.audit_chain import AuditEntry, canonical, linked, readable
from tests.audit import broken_at

ENTRY = AuditEntry(1_700_000_000.25, "U1", "scale_up", {"to": "9", "a": 'ü"\n'}, "5", "9", "done", "a1", "i1")


def trail_of(*entries: AuditEntry) -> list[tuple[str, AuditEntry, str]]:
    return [(f"{n}-0", readable(line), hashed) for n, (line, hashed) in enumerate(linked(entries, ()), 1)]


def test_an_entry_comes_back_as_it_was_written() -> None:
    odd = replace(ENTRY, before="\ud800")
    assert (readable(canonical(ENTRY)), readable(canonical(odd))) == (ENTRY, odd)


def test_the_same_entry_has_the_same_text_whatever_the_order_of_its_parameters() -> None:
    assert canonical(ENTRY) == canonical(replace(ENTRY, parameters={"a": 'ü"\n', "to": "9"}))


def test_a_changed_a_missing_and_a_moved_entry_are_found() -> None:
    rows = trail_of(*(replace(ENTRY, at=float(n)) for n in range(1, 5)))
    assert broken_at(rows) is None
    changed = [rows[0], (rows[1][0], replace(rows[1][1], who="U2"), rows[1][2]), *rows[2:]]
    assert broken_at(changed) == "2-0"
    assert broken_at([rows[0], *rows[2:]]) == "3-0"
    assert broken_at([rows[1], rows[0], *rows[2:]]) == "2-0"


def test_a_field_that_is_empty_changes_no_hash() -> None:
    assert canonical(AuditEntry(1.0, "U1", "ack")) == '{"at":1.0,"what":"ack","who":"U1"}'


def test_a_field_of_a_newer_release_is_left_out_and_nonsense_is_an_error() -> None:
    assert readable('{"at":1.0,"what":"ack","who":"U1","newer":5}') == AuditEntry(1.0, "U1", "ack")
    for nonsense in ("[]", "{"):
        with pytest.raises(ValueError, match=r"JSON|Expecting"):
            readable(nonsense)
