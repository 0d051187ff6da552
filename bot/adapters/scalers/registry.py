"""The kinds of scaler: the value of `kind` in `[pool."NAME".scaler]`, and its builder."""

from collections.abc import Callable, Mapping

from bot.adapters.build_context import BuildContext
from bot.adapters.kinds import Kinds
from bot.core.scaling.limits import ScalePolicy
from bot.ports import Scaler

Build = Callable[[str, str, Mapping[str, object], BuildContext], tuple[Scaler, ScalePolicy]]
"""(pool, place in tailback.toml, its table, context) → the scaler and its policy; raises ConfigError."""

SCALERS: Mapping[str, Build] = Kinds(
    "bot.adapters.scalers",
    *("arc", "aws_asg", "command", "github_aws_runners", "github_file", "http", "kubernetes", "none"),
)
