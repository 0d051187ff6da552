"""The example files of `tailback example`, from the wheel or the checkout."""

from datetime import UTC, datetime
from pathlib import Path

from bot.ports import Refused
from handlers.machine import now

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = Path(__file__).resolve().parents[1] / "shipped"
"""Their place in a wheel, as in pyproject.toml."""
EXAMPLES = {
    "minimal.toml": ("docs/examples/minimal.toml", "a configuration to start with"),
    "tailback.toml": ("docs/examples/tailback.toml", "a complete configuration"),
    "alert.json": ("docs/examples/grafana/alert.json", "an alert as Grafana sends it, with the time of now"),
    "env": (".env.example", "every environment variable, as a file to load"),
    "rules.yml": ("docs/examples/prometheus/rules.yml", "recording and alerting rules for Prometheus"),
    "alertmanager.yml": ("docs/examples/alertmanager/alertmanager.yml", "routes for Alertmanager"),
    "dashboard.json": ("docs/examples/grafana/dashboard.json", "a dashboard for Grafana"),
    "tailback.service": ("deploy/systemd/tailback.service", "a unit for systemd"),
    "nginx.conf": ("deploy/proxy/nginx.conf", "a server block for nginx in front of Tailback"),
    "Caddyfile": ("deploy/proxy/Caddyfile", "the same for Caddy"),
}
"""Name: (its file in the project, its description)."""
MOMENT = "2025-12-01T02:23:00Z"
"""When the alert in `alert.json` began: an older one would tell nothing new, so it is printed with the time of now."""


def example(name: str) -> str:
    """The text of one example. Raises Refused for an unknown name."""
    found = EXAMPLES.get(name)
    if found is None:
        raise Refused(f'There is no example "{name}". Choose one of: {", ".join(EXAMPLES)}.')
    installed = SHIPPED / name
    text = (installed if installed.exists() else ROOT / found[0]).read_text("utf-8")
    return text.replace(MOMENT, f"{datetime.fromtimestamp(now(), UTC):%Y-%m-%dT%H:%M:%SZ}")


def listing() -> str:
    """Every example with its description, for the terminal."""
    return "\n".join(f"{name:<18}{what}" for name, (_, what) in EXAMPLES.items())
