"""The kinds of metrics source: the value of `kind` in `[metrics.NAME]`, and its builder."""

from collections.abc import Callable, Mapping

from bot.adapters.build_context import Parts
from bot.adapters.kinds import Kinds
from bot.ports import Metrics

Build = Callable[[str, str, Mapping[str, object], Mapping[str, Mapping[str, object]], Parts], Metrics]
"""(name, place in tailback.toml, its table, pool → the pool's own keys, parts) → the source; raises ConfigError."""

METRICS: Mapping[str, Build] = Kinds(
    "bot.adapters.metrics", "prometheus", "github", "hud", "buildkite", "gitlab", "jenkins"
)
