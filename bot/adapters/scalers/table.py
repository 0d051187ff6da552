"""The kinds of scaler: the word of `kind` in `[pool."NAME".scaler]`, and what builds it."""

from collections.abc import Callable, Mapping

from bot.adapters.kinds import Kinds
from bot.adapters.parts import Parts
from bot.core.guards import ScalePolicy
from bot.ports import Scaler

Build = Callable[[str, str, Mapping[str, object], Parts], tuple[Scaler, ScalePolicy]]
"""(pool, place in tailback.toml, its table, parts) → the lever and what it may do; raises ConfigError."""

SCALERS: Mapping[str, Build] = Kinds(
    "bot.adapters.scalers", "arc", "aws_asg", "command", "github_aws_runners", "http", "kubernetes", "none"
)
