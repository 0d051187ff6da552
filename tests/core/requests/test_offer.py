"""Ids of buttons: computed, opaque, and new after each use."""

from bot.core.requests.interaction import incident_of, request_id, used
from tests.builders import incident, with_fields


def test_the_id_is_the_same_until_the_button_is_used() -> None:
    found = incident()
    assert request_id(found, "ack") == request_id(with_fields(found, deliveries=9, owner="U1"), "ack")
    assert request_id(found, "ack") != request_id(used(found, "ack"), "ack")
    assert request_id(found, "scale_up") == request_id(used(found, "ack"), "scale_up")
    assert dict(used(used(found, "ack"), "ack").uses) == {"ack": 2}


def test_every_action_of_every_incident_has_its_own_id() -> None:
    ids = {request_id(incident(id=i), name) for i in ("i1", "i2") for name in ("ack", "silence", "scale_up")}
    assert len(ids) == 6


def test_an_id_names_its_incident_and_nothing_else() -> None:
    """A button's value is opaque: neither action nor parameters stand in it (C8)."""
    value = request_id(incident(id="i7"), "scale_up")
    assert incident_of(value) == "i7"
    assert "scale" not in value
    assert incident_of("") == ""
    assert incident_of("odd") == "odd"
