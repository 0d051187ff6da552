"""Writes `.env` and `tailback.toml` from the answers, with only what is used."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from bot.ports import Refused

HEAD = "# The smallest useful configuration; docs/reference/settings.md explains every setting.\n"
PRIVATE, READABLE = 0o600, 0o640


class InitSender(StrEnum):
    """Who sends the alerts; `github`: nobody, GitHub's webhooks are watched."""

    ALERTMANAGER = "alertmanager"
    GRAFANA = "grafana"
    EVENT = "event"
    GITHUB = "github"


@dataclass(frozen=True, slots=True)
class InitAnswers:
    """Everything that the two files are made from."""

    channel: str
    alerts: InitSender = InitSender.ALERTMANAGER
    prometheus: str = ""
    """Its address; empty: there is none."""
    pools: tuple[tuple[str, str, str, str], ...] = ()
    """Pools that Prometheus knows: preset, name, and where it knows the machines, their set and matchers."""
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Variables of `.env`, in order; empty ones are left out."""
    label: str = ""
    """A runner label whose queue GitHub's webhooks tell; empty: none."""


def env_text(answers: InitAnswers) -> str:
    return "".join(f"{name}={value}\n" for name, value in answers.secrets.items() if value)


def toml_text(answers: InitAnswers) -> str:
    tables = [f"[slack]\nchannel = {_text(answers.channel)}"]
    if answers.prometheus:
        token = '\ntoken_env = "PROMETHEUS_TOKEN"' if answers.secrets.get("PROMETHEUS_TOKEN") else ""
        tables.append(f'[metrics.prometheus]\nkind = "prometheus"\nurl = {_text(answers.prometheus)}{token}')
    for preset, name, signals, match in answers.pools:
        more = f"\nsignals = {_text(signals)}\nmachine_match = {_text(match)}" if signals else ""
        tables.append(f'[pool.{_text(name)}]\nmetrics = "prometheus"\npreset = {_text(preset)}{more}')
    if answers.alerts is InitSender.GITHUB:
        tables.append('[metrics.github]\nkind = "github_webhooks"')
        tables.append('[pool."every queue"]\nmetrics = "github"\nlabel = "*"\nalert_wait = "1h"')
    if answers.label:
        tables.append('[metrics.github]\nkind = "github_webhooks"')
        name = _text(answers.label)
        tables.append(f'[pool.{name}]\nmatch = {{ runner_label = {name} }}\nmetrics = "github"\nlabel = {name}')
    return HEAD + "".join(f"\n{table}\n" for table in tables)


def _text(value: str) -> str:
    """A basic string of TOML; JSON's are the same."""
    return json.dumps(value, ensure_ascii=False)


def write(path: Path, text: str, mode: int) -> None:
    """Replace the file at once, so that a crash leaves the old one or the new one. Raises Refused."""
    new = path.with_name(f"{path.name}.new")
    try:
        new.unlink(missing_ok=True)
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        new.replace(path)
    except OSError as error:
        raise Refused(f"{path} cannot be written ({error.strerror}). Choose a folder that you may write to.") from None
