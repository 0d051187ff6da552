"""The kinds of back ends: the value of `kind` in a table of tailback.toml, and what builds it.

The module of a kind, and its library, are loaded when a configuration first names it.
"""

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any, Generic, TypeVar, cast

from bot.adapters.build_context import BuildContext
from bot.adapters.source import SourceKind
from bot.config import unusable
from bot.core.scaling.limits import ScalePolicy
from bot.ports import Alertmanager, Metrics, Scaler

B = TypeVar("B")
BuildScaler = Callable[[str, str, Mapping[str, object], BuildContext], tuple[Scaler, ScalePolicy]]
"""(pool, place in tailback.toml, its table, context) → the scaler and its policy; raises ConfigError."""
BuildAlertmanager = Callable[[str, str, Mapping[str, object], BuildContext], Alertmanager]
"""(name, place in tailback.toml, its table, context) → the back end; raises ConfigError."""


class Kinds(Mapping[str, B], Generic[B]):
    """Maps `kind` to the `build` of the module with that name in a package."""

    def __init__(self, package: str, *words: str) -> None:
        self._package, self._words = package, words

    def __getitem__(self, word: str) -> B:
        """The builder of a kind; raises KeyError, or ConfigError if a library is not installed."""
        if word not in self._words:
            raise KeyError(word)
        try:
            return cast("B", import_module(f"{self._package}.{word}").build)
        except ModuleNotFoundError as error:
            remedy = "run `./tailback setup aws`, or install tailback[aws]"
            raise unusable("", f'kind "{word}" needs {error.name}, which is not installed', remedy) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._words)

    def __len__(self) -> int:
        return len(self._words)


METRICS: Mapping[str, SourceKind[Any, Any, Metrics]] = Kinds(
    "bot.adapters.metrics",
    *("prometheus", "github", "github_webhooks", "hud", "buildkite", "gitlab", "jenkins"),
    *("cloudwatch", "ec2_auto_scaling", "kubernetes_events"),
)
SCALERS: Mapping[str, BuildScaler] = Kinds(
    "bot.adapters.scalers",
    *("arc", "aws_asg", "command", "github_aws_runners", "github_file", "http", "kubernetes", "none"),
)
ALERTMANAGERS: Mapping[str, BuildAlertmanager] = Kinds("bot.adapters.alertmanagers", "alertmanager", "grafana")
