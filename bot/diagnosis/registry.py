"""The rules, most specific first: of two that are equally sure, the earlier one is named first. Add a new one here."""

from importlib import import_module

from bot.core.finding import Rule

ORDER = (
    "blind",
    "stale_rows",
    "late_events",
    "unknown_label",
    "hosted",
    "provider",
    "unassigned",
    "throttled_api",
    "refused",
    "requests_pile_up",
    "unregistered",
    "failed_fill",
    "offline",
    "runners_die",
    "slow_boot",
    "short_of_disk",
    "short_of_memory",
    "short_of_cpu",
    "slow_network",
    "slow_service",
    "hung",
    "slower",
    "surge",
    "limit",
    "too_few",
    "no_runner",
    "together",
)
"""The modules, each with its RULES; the word of a module is the id of its cause unless it holds several."""


def _rules(name: str) -> tuple[Rule, ...]:
    found: tuple[Rule, ...] = import_module(f"bot.diagnosis.{name}").RULES
    return found


RULES = tuple(rule for name in ORDER for rule in _rules(name))
