"""Writes `.env` and `tailback.toml` from the answers, with only what is used."""

import json
import os
from collections.abc import Iterator, Mapping
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
class ProposedPool:
    """A pool that Prometheus knows: the preset that fits its metrics, and its name there."""

    preset: str
    name: str


@dataclass(frozen=True, slots=True)
class InitAnswers:
    """Everything that the two files are made from."""

    channel: str
    alerts: InitSender = InitSender.ALERTMANAGER
    prometheus: str = ""
    prometheus_token: str = ""
    pools: tuple[ProposedPool, ...] = ()
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Variables of `.env`, in order; empty ones are left out."""


def env_text(answers: InitAnswers) -> str:
    """The content of `.env`."""
    given = {**answers.secrets, "PROMETHEUS_TOKEN": answers.prometheus_token}
    return "".join(f"{name}={value}\n" for name, value in given.items() if value)


def toml_text(answers: InitAnswers) -> str:
    """The content of tailback.toml."""
    return HEAD + "".join(f"\n{table}\n" for table in _tables(answers))


def _tables(answers: InitAnswers) -> Iterator[str]:
    yield f"[slack]\nchannel = {_text(answers.channel)}"
    if answers.prometheus:
        token = '\ntoken_env = "PROMETHEUS_TOKEN"' if answers.prometheus_token else ""
        yield f'[metrics.prometheus]\nkind = "prometheus"\nurl = {_text(answers.prometheus)}{token}'
    for pool in answers.pools:
        yield f'[pool.{_text(pool.name)}]\nmetrics = "prometheus"\npreset = {_text(pool.preset)}'
    if answers.alerts is InitSender.GITHUB:
        yield '[metrics.github]\nkind = "github_webhooks"'
        yield '[pool."every queue"]\nmetrics = "github"\nlabel = "*"\nalert_wait = "1h"'


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
