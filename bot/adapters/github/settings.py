"""The settings of GitHub as a metrics source: `[metrics.NAME]`, and the keys of its pools."""

import re
from collections.abc import Callable
from typing import Annotated, Self

from pydantic import AfterValidator, Field, model_validator

from bot.adapters.github.api import GitHubApi, Token
from bot.adapters.http.address import BaseUrl
from bot.adapters.http.client import Http, bearer
from bot.adapters.source import SourceTable
from bot.config import Seconds, Table, WrongSetting
from bot.core.pool.job import COMMON_LABELS
from bot.settings import GitHubCredentials as GitHubCredentials  # noqa: PLC0414 - integrations know it by this place

OWNER = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,38}")
REPOSITORY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,38}/[A-Za-z0-9._-]{1,100}")


def _owners(names: list[str]) -> list[str]:
    for name in names:
        if not OWNER.fullmatch(name):
            what = f"{name!r} is not the name of an organisation or enterprise"
            raise WrongSetting(what, "write it as it stands in its address")
    return names


def repository_name(name: str) -> str:
    """The same name; raises WrongSetting unless it is `owner/name`."""
    if not REPOSITORY.fullmatch(name) or name.endswith(("/.", "/..")):
        raise WrongSetting(f"{name!r} is not a repository", 'write "owner/name"')
    return name


class GitHubTable(SourceTable, GitHubCredentials):
    url: BaseUrl = "https://api.github.com"
    organizations: Annotated[list[str], AfterValidator(_owners)] = Field(default_factory=list)
    """Their runners are counted."""
    enterprises: Annotated[list[str], AfterValidator(_owners)] = Field(default_factory=list)
    """Their runners are counted too; they are in no organisation's list."""
    repositories: list[Annotated[str, AfterValidator(repository_name)]] = Field(default_factory=list)
    """Their queues are read; without organizations and enterprises their own runners are counted."""
    timeout: Seconds | None = Field(default=30.0, gt=0, le=600)
    """Time limit for one request; GitHub lists the runs of large repositories in ten seconds and more."""
    every: Seconds = 27.0
    """Shortest time between two rounds of calls, for any number of pools."""
    budget: int = Field(default=30, ge=2)
    """Calls in one round; those that fifteen rounds did not use are saved for one that needs more."""
    reserve: int = Field(default=500, ge=0)
    """Calls per hour left to other users of the same credentials."""
    status_url: BaseUrl | None = None
    """GitHub's status page as JSON."""

    @property
    def owners(self) -> tuple[str, ...]:
        """Owners of the counted runners, as prefixes of GitHub's paths."""
        return (*(f"orgs/{name}" for name in self.organizations), *(f"enterprises/{name}" for name in self.enterprises))

    @model_validator(mode="after")
    def _has_queues(self) -> Self:
        if not self.organizations and not self.repositories:
            what = "enterprises have runners and no queues" if self.enterprises else "names nothing to read"
            raise WrongSetting(what, 'add organizations = ["NAME"] or repositories = ["OWNER/NAME"]')
        return self


def api_of(  # noqa: PLR0913 - what a client is made of
    table: GitHubCredentials,
    place: str,
    token: Callable[[str, str], str],
    http: Callable[..., Http],
    now: Callable[[], float],
    *,
    reserve: int = 0,
) -> GitHubApi:
    """The client; `token` reads the variable that a key of the table names. Raises ConfigError with the place.

    `http` makes an HTTP client that accepts `ANSWERS` and sends `headers`.
    """
    if table.token_env:
        sends = http(headers=bearer(token("token_env", table.token_env)))
        return GitHubApi(sends, Token(table.token_env), now, reserve)
    from bot.adapters.github.auth import App, private_key

    key = private_key(place, table.private_key_env, token("private_key_env", table.private_key_env))
    made = http(headers={})
    app = App(made, (str(table.app_id), str(table.installation_id)), key, now)
    return GitHubApi(made, app, now, reserve)


class GitHubPool(Table):
    label: str = ""
    """The runner label; the pool's name when empty."""
    labels: list[str] = Field(default_factory=list)
    """Several labels; runners and jobs must have all of them."""
    runner_group: str = ""
    limit: int | None = Field(default=None, ge=0)
    """The pool's maximum of runners, which GitHub does not know."""

    @model_validator(mode="after")
    def _one(self) -> "GitHubPool":
        if self.label and self.labels:
            raise WrongSetting("label and labels exclude each other", "keep one")
        return self

    def labels_of(self, pool: str) -> tuple[str, ...]:
        """The labels of a pool, the most distinctive first."""
        found = [label.strip() for label in self.labels if label.strip()] or [self.label.strip() or pool]
        return tuple(sorted(found, key=lambda label: label.lower() in COMMON_LABELS))
