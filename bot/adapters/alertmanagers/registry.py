"""The kinds of alertmanager: the word of `kind` in `[alertmanager.NAME]`, and what builds it."""

from collections.abc import Callable, Mapping

from bot.adapters.build_context import Parts
from bot.adapters.kinds import Kinds
from bot.ports import Alertmanager

Build = Callable[[str, str, Mapping[str, object], Parts], Alertmanager]
"""(name, place in tailback.toml, its table, parts) → the back end; raises ConfigError."""

ALERTMANAGERS: Mapping[str, Build] = Kinds("bot.adapters.alertmanagers", "alertmanager", "grafana")
