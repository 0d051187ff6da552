"""The kinds of Alertmanager: the value of `kind` in `[alertmanager.NAME]`, and its builder."""

from collections.abc import Callable, Mapping

from bot.adapters.build_context import BuildContext
from bot.adapters.kinds import Kinds
from bot.ports import Alertmanager

Build = Callable[[str, str, Mapping[str, object], BuildContext], Alertmanager]
"""(name, place in tailback.toml, its table, context) → the back end; raises ConfigError."""

ALERTMANAGERS: Mapping[str, Build] = Kinds("bot.adapters.alertmanagers", "alertmanager", "grafana")
