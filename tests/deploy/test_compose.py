"""compose.yaml: its services fit together, by their own configuration files and by what Tailback demands."""

import json
import re
import shutil
from pathlib import Path

import pytest
import yaml

from bot.config import Environment
from tests.architecture.tree import ROOT
from tests.processes import program

COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))
SERVICES = COMPOSE["services"]
PROMETHEUS = yaml.safe_load((ROOT / "deploy/compose/prometheus.yml").read_text("utf-8"))
ALERTMANAGER = yaml.safe_load((ROOT / "deploy/compose/alertmanager.yml").read_text("utf-8"))
HOOKS = [hook for one in ALERTMANAGER["receivers"] for hook in one.get("webhook_configs", [])]
LISTENS = {"tailback": 8080, "redis": 6379, "prometheus": 9090, "alertmanager": 9093}


def mounts() -> list[tuple[str, str, str]]:
    """(service, source, target) of every volume."""
    parts = [(name, *volume.split(":")[:2]) for name, one in SERVICES.items() for volume in one.get("volumes", [])]
    return [(name, source, target) for name, source, target in parts]


def addresses() -> list[str]:
    """Every host:port by which one service is shown to reach another."""
    asked = [*PROMETHEUS["scrape_configs"], *PROMETHEUS["alerting"]["alertmanagers"]]
    targets = [target for one in asked for group in one["static_configs"] for target in group["targets"]]
    urls = [*(hook["url"] for hook in HOOKS), SERVICES["tailback"]["environment"]["REDIS_URL"]]
    return [*targets, *(re.sub(r"^\w+://([^/]+)/.*$", r"\1", url) for url in urls)]


def test_every_mounted_file_is_there_and_every_volume_is_declared() -> None:
    """Docker makes an empty folder of a file that is missing, and the service fails with a puzzling message."""
    yours = {"./tailback.toml"}
    files = {source for _, source, _ in mounts() if source.startswith("./")} - yours
    assert [source for source in files if not (ROOT / source).is_file()] == []
    assert {source for _, source, _ in mounts() if not source.startswith("./")} == set(COMPOSE["volumes"])


def test_services_reach_one_another_by_name_and_port() -> None:
    """Each address names a service on a port that it listens on, and each pair shares a network."""
    assert sorted(set(addresses())) == ["alertmanager:9093", "redis:6379", "tailback:8080"]
    assert [one for one in addresses() if LISTENS[one.partition(":")[0]] != int(one.partition(":")[2])] == []
    for other in ("redis", "prometheus", "alertmanager"):
        assert set(SERVICES["tailback"]["networks"]) & set(SERVICES[other]["networks"]), other
    assert set(SERVICES["prometheus"]["networks"]) & set(SERVICES["alertmanager"]["networks"])
    assert SERVICES["redis"]["networks"] == ["store"]
    assert COMPOSE["networks"]["store"] == {"internal": True}


def test_alertmanager_presents_the_token_that_tailback_expects() -> None:
    """One variable of .env is both: the secret file in one container, the environment in the other."""
    (hook,) = HOOKS
    (secret,) = SERVICES["alertmanager"]["secrets"]
    assert hook["http_config"]["authorization"] == {"type": "Bearer", "credentials_file": f"/run/secrets/{secret}"}
    assert COMPOSE["secrets"][secret] == {"environment": "TAILBACK_WEBHOOK_TOKEN"}
    assert hook["send_resolved"] is True
    assert {"path": ".env", "required": False} in SERVICES["tailback"]["env_file"]


def test_redis_is_durable_as_tailback_demands() -> None:
    """Otherwise Tailback refuses to start."""
    command = " ".join(SERVICES["redis"]["command"])
    assert "--appendonly yes" in command
    assert "--maxmemory-policy noeviction" in command
    assert "/data" in {target for name, _, target in mounts() if name == "redis"}


def test_every_variable_is_one_that_tailback_knows() -> None:
    """A typing error would be ignored in silence."""
    known = {name.upper() for name in Environment.model_fields}
    assert set(SERVICES["tailback"]["environment"]) <= known


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_a_service_is_pinned_private_and_bounded(name: str) -> None:
    """A fixed tag, ports on this machine alone, and, for what is ours, no rights and a read-only root."""
    one = SERVICES[name]
    assert re.search(r":v?\d", one["image"]) or one["build"] == "."
    assert [port for port in one.get("ports", []) if not port.startswith("127.0.0.1:")] == []
    if name in {"tailback", "demo", "redis"}:
        assert (one["read_only"], one["cap_drop"]) == (True, ["ALL"])
        assert one["security_opt"] == ["no-new-privileges:true"]
    if name != "demo":
        assert one["restart"] == "unless-stopped"


def test_the_demo_is_a_profile_that_needs_nothing() -> None:
    """No settings, no Redis, no files: `docker compose up demo` starts it alone."""
    demo = SERVICES["demo"]
    assert demo["profiles"] == ["demo"]
    assert {"env_file", "environment", "volumes", "depends_on"} & set(demo) == set()
    assert demo["command"][:1] == ["demo"]
    assert [name for name, one in SERVICES.items() if "profiles" in one] == ["demo"]


@pytest.mark.needs("prometheus")
def test_promtool_accepts_its_configuration(tmp_path: Path) -> None:
    text = (ROOT / "deploy/compose/prometheus.yml").read_text("utf-8")
    (target,) = [target for _, source, target in mounts() if source.endswith("rules.yml")]
    assert [target] == PROMETHEUS["rule_files"]
    (tmp_path / "prometheus.yml").write_text(text.replace(target, str(ROOT / "docs/examples/prometheus/rules.yml")))
    program("promtool", "check", "config", tmp_path / "prometheus.yml")


@pytest.mark.needs("amtool")
def test_amtool_accepts_its_configuration_and_routes_by_it() -> None:
    """A queue alert goes to Tailback; an alert on Tailback itself does not."""
    file = ROOT / "deploy/compose/alertmanager.yml"
    program("amtool", "check-config", file)
    for labels, receiver in (({"alertname": "RunnerQueueLong"}, "tailback"), ({"team": "tailback"}, "people")):
        given = [f"{name}={value}" for name, value in labels.items()]
        assert program("amtool", "config", "routes", "test", f"--config.file={file}", *given).out.strip() == receiver


def test_compose_itself_accepts_the_file(tmp_path: Path) -> None:
    """With the plugin of Docker, which needs no engine for this."""
    if not shutil.which("docker") or program("docker", "compose", "version", code=None).code:
        pytest.skip("needs Docker's plugin compose, version 2.24 or newer")
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(tmp_path), "TAILBACK_WEBHOOK_TOKEN": "made-up"}
    compose = ("docker", "compose", "--profile", "demo", "--file", ROOT / "compose.yaml")
    shown = program(*compose, "config", "--format", "json", env=environment).out
    assert set(json.loads(shown)["services"]) == set(SERVICES)
