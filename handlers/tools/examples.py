"""The example files of `tailback example`, from the wheel or the checkout."""

from pathlib import Path

from bot.ports import Refused

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = Path(__file__).resolve().parents[1] / "shipped"
"""Their place in a wheel, as in pyproject.toml."""
EXAMPLES = {
    "minimal.toml": ("docs/examples/minimal.toml", "a configuration to start with"),
    "tailback.toml": ("docs/examples/tailback.toml", "a complete configuration"),
    "env": (".env.example", "every environment variable, as a file to load"),
    "rules.yml": ("docs/examples/prometheus/rules.yml", "recording and alerting rules for Prometheus"),
    "alertmanager.yml": ("docs/examples/alertmanager/alertmanager.yml", "routes for Alertmanager"),
    "dashboard.json": ("docs/examples/grafana/dashboard.json", "a dashboard for Grafana"),
    "tailback.service": ("deploy/systemd/tailback.service", "a unit for systemd"),
    "nginx.conf": ("deploy/proxy/nginx.conf", "a server block for nginx in front of Tailback"),
    "Caddyfile": ("deploy/proxy/Caddyfile", "the same for Caddy"),
}
"""Name: (its file in the project, its description)."""


def example(name: str) -> str:
    """The text of one example. Raises Refused for an unknown name."""
    found = EXAMPLES.get(name)
    if found is None:
        raise Refused(f'There is no example "{name}". Choose one of: {", ".join(EXAMPLES)}.')
    installed = SHIPPED / name
    return (installed if installed.exists() else ROOT / found[0]).read_text("utf-8")


def listing() -> str:
    """Every example with its description, for the terminal."""
    return "\n".join(f"{name:<18}{what}" for name, (_, what) in EXAMPLES.items())
