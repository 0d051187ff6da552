"""The metrics sources that contact a configured address, each with the least table that builds it."""

from bot.adapters.registry import METRICS

ADDRESSED = [kind for kind, source in METRICS.items() if "url" in source.table.model_fields]
NEEDED: dict[str, dict[str, object]] = {
    "github": {"organizations": ["o"], "repositories": ["o/r"], "token_env": "T"},
    "gitlab": {"projects": ["g/p"]},
    "hud": {"token_env": "T"},
    "jenkins": {"basic_env": "T"},
    "kubernetes_events": {"namespace": "ci", "token_env": "T"},
}
"""What a source needs besides its address and the tokens that its table requires."""


def least_table(kind: str, url: str) -> dict[str, object]:
    """`[metrics.NAME]` for a source at `url`; the variable `T` holds its token."""
    fields = METRICS[kind].table.model_fields.items()
    tokens = {name: "T" for name, field in fields if name.endswith("_env") and field.is_required()}
    return {"kind": kind, "url": url, **tokens, **NEEDED.get(kind, {})}
