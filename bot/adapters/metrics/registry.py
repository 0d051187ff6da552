"""The kinds of metrics source: the value of `kind` in `[metrics.NAME]`, and what builds it."""

from collections.abc import Mapping
from typing import Any

from bot.adapters.kinds import Kinds
from bot.adapters.metrics.source import SourceKind
from bot.ports import Metrics

METRICS: Mapping[str, SourceKind[Any, Any, Metrics]] = Kinds(
    "bot.adapters.metrics",
    "prometheus",
    "github",
    "github_webhooks",
    "hud",
    "buildkite",
    "gitlab",
    "jenkins",
    "cloudwatch",
    "ec2_auto_scaling",
    "kubernetes_events",
)
"""Loads the module of a kind, and its library, when a configuration first names it."""
