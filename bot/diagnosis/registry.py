"""The rules, most specific first: of two that are equally sure, the earlier one is named first. Add a new one here."""

from importlib import import_module

from bot.core.finding import Rule

ORDER = (
    "figures.blind",
    "figures.stale_rows",
    "figures.late_events",
    "assigning.unknown_label",
    "assigning.hosted",
    "assigning.provider",
    "assigning.unassigned",
    "machines.throttled_api",
    "machines.refused",
    "machines.requests_pile_up",
    "machines.unregistered",
    "machines.failed_fill",
    "machines.offline",
    "machines.runners_die",
    "machines.slow_boot",
    "machines.shortage",
    "work.hung",
    "work.slower",
    "machines.too_few",
    "work.surge",
    "work.inferred",
    "machines.limit",
    "machines.no_runner",
    "work.together",
)
"""Room and module, each with its RULES; the name of a module is the id of its cause unless it holds several."""


def _rules(name: str) -> tuple[Rule, ...]:
    found: tuple[Rule, ...] = import_module(f"bot.diagnosis.{name}").RULES
    return found


RULES = tuple(rule for name in ORDER for rule in _rules(name))
