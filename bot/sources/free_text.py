"""Reads facts from an alert's texts that have no field: figures, a silence's labels, a machine."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.core.alert import RULE_UID
from bot.sources.grafana import matchers, spoken_values
from bot.sources.payload import first_numbers

MOST_READ_CHARS = 4000

_FIGURE = re.compile(
    r"(?<![\w.-])([A-Za-z_][\w.-]{0,80}) ?= ?([-+]?[0-9][0-9.]{0,20}(?:[eE][-+]?[0-9]{1,3})?)(?![\w.])"
)
_MACHINE = re.compile(r"\bMachine (\S{1,100}) has a long queue\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Silenceable:
    """Labels that a silence of this alert may name, according to its silence link."""

    rule_uid: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)


def figures(reason: str) -> dict[str, float]:
    """The numbers in a reason such as `max_queue_size=14, max_queue_time_mins=114`; the first of a name counts.

    A reason may also be Grafana's `valueString`, as for classic conditions: `[ var='B0' metric='size' … value=114 ]`.
    """
    return spoken_values(reason) or first_numbers(_FIGURE.findall(reason[:MOST_READ_CHARS]))


def silenceable(silence_link: str, alert_name: str) -> Silenceable:
    """Read the matchers of Grafana's silence link; without any, only the alert's name is known."""
    found = {name: value for name, value in matchers(silence_link) if name and value}
    uid = found.pop(RULE_UID, None)
    return Silenceable(uid, {"alertname": alert_name, **found})


def machine(title: str) -> dict[str, str]:
    """The runner label in "Machine linux.2xlarge has a long queue" (pytorch/test-infra `tools/torchci/queue_alert.py`).

    Empty for every other title: a pool's name is not guessed out of words.
    """
    found = _MACHINE.search(title)
    return {"runner_label": found[1]} if found else {}
