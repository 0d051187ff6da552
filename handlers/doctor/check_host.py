"""Checks the machine: who runs Tailback, who can read its secrets, open files, disk space, unencrypted tokens."""

import os
import pwd
import resource
import shutil
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlparse

from bot.config import Settings
from handlers import machine
from handlers.doctor.check_settings import HERE
from handlers.doctor.findings import CheckFinding, ok, problem, warning

LEAST_FILES = 4096
"""Open files; each connection is one."""
LEAST_BYTES = 1024**3
"""Free disk space below which the embedded Redis may soon be unable to store an alert."""
DOTENV = ".env"
"""The file with the tokens. `tailback.toml` only names them, and a service with its own user must read it."""
TOKENS = ("token_env", "token_file", "basic_env", "user_env")


@dataclass(frozen=True, slots=True)
class Host:
    """The facts about the machine that the checks need."""

    root: bool = False
    files: int = 1_000_000
    """The most open files that this process may have."""
    free_bytes: int | None = None
    """Free disk space at TAILBACK_DATA; None when it does not matter or is unknown."""
    modes: Mapping[Path, int] = field(default_factory=dict)
    """Permission bits of the files that hold secrets or decide who may act."""
    owners: Mapping[Path, str] = field(default_factory=dict)
    """Who owns those of them that this user cannot change."""
    barred: Path | None = None
    """What keeps this user from writing at TAILBACK_DATA, if that matters: a file, or a folder of others."""
    in_cluster: bool = False
    """It is a pod of Kubernetes."""
    in_container: bool = False
    """Who reaches it is decided where its port is published."""


def this_host(settings: Settings) -> Host:
    """Check this machine. Never raises."""
    env = settings.env
    secret = [env.tailback_config.parent / DOTENV, env.tailback_config]
    above = (env.tailback_data, *env.tailback_data.absolute().parents)
    data = None if env.redis_url.get_secret_value() else next((one for one in above if os.path.lexists(one)), None)
    barred = data if data and not (data.is_dir() and os.access(data, os.W_OK | os.X_OK)) else None
    free = shutil.disk_usage(data).free if data and not barred else None
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    files = 1_000_000 if hard == resource.RLIM_INFINITY else hard
    found = {path: path.stat() for path in secret if os.access(path, os.F_OK)}
    modes = {path: stat.S_IMODE(one.st_mode) for path, one in found.items()}
    others = {path: _name(one.st_uid) for path, one in found.items() if os.getuid() not in {0, one.st_uid}}
    return Host(os.getuid() == 0, files, free, modes, others, barred, machine.in_cluster(), machine.in_container())


def _name(uid: int) -> str:
    """A user's name, or its number where the machine has none for it, as in a container."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"user {uid}"


def of_host(host: Host, settings: Settings) -> list[CheckFinding]:
    """One finding for each weakness, or one that all is well."""
    found = [*_machine(host, settings), *_unencrypted(settings)]
    fine = [] if found else [ok("host", "User, file permissions, file limit and disk space are fine")]
    return [*found, *fine, *_front_door(host, settings)]


def _front_door(host: Host, settings: Settings) -> Iterator[CheckFinding]:
    """Who can reach the endpoints: strangers should meet a proxy first (docs/adr/0017-the-front-door.md)."""
    env = settings.env
    if env.host.strip("[]") not in HERE and not env.forwarded_allow_ips:
        if host.in_container:
            yield ok(
                "host", f"Listens on {env.host} in its container: publish the port on loopback, or put nginx in front"
            )
        else:
            yield warning(
                "host", f"Strangers reach Tailback itself: it listens on {env.host}, and no proxy is named",
                "put nginx in front and set HOST=127.0.0.1 and FORWARDED_ALLOW_IPS (tailback example nginx.conf)",
            )  # fmt: skip
    api = urlparse(settings.file.api.url if settings.file.api else "")
    if api.scheme == "http" and (api.hostname or "") not in HERE:
        yield warning("host", f"The tokens of [api] come to {api.hostname} without encryption",
                      "put a proxy with TLS in front, and write https:// in url of [api]")  # fmt: skip


def _machine(host: Host, settings: Settings) -> Iterator[CheckFinding]:
    if host.root:
        yield warning("host", "Tailback runs as root and does not need to", "run it as its own user")
    if host.barred is not None:
        yield problem("host", f"Tailback cannot keep its records in {settings.env.tailback_data}: this user may not "
                      f"write to {host.barred}", "set TAILBACK_DATA to a folder that it may write")  # fmt: skip
    for path, mode in host.modes.items():
        owner = host.owners.get(path)
        ask = f"{owner} owns it: ask for " if owner else ""
        if mode & 0o004 and path.name == DOTENV:
            yield warning("host", f"Every user of this machine can read {path}", f"{ask}chmod o-r {path}")
        if mode & 0o002:
            yield warning("host", f"Every user of this machine can change {path}", f"{ask}chmod o-w {path}")
    if host.files < LEAST_FILES:
        yield warning("host", f"Only {host.files:,} files may be open, and each connection needs one",
                      f"raise the limit to {LEAST_FILES:,} (LimitNOFILE in systemd, ulimit -n in a shell)")  # fmt: skip
    if host.free_bytes is not None and host.free_bytes < LEAST_BYTES:
        yield warning("host", f"Only {host.free_bytes // 1024**2:,} MiB are free at {settings.env.tailback_data}",
                      "free some space: a full disk stores no alerts")  # fmt: skip


def _unencrypted(settings: Settings) -> Iterator[CheckFinding]:
    """Tokens that would travel to another machine in the clear."""
    file = settings.file
    tables: dict[str, Mapping[str, object]] = {f"[alertmanager.{name}]": one for name, one in file.alertmanager.items()}
    tables |= {f"[metrics.{name}]": one for name, one in file.metrics.items()}
    tables |= {f'[pool."{name}".scaler]': pool.scaler for name, pool in file.pool.items()}
    tables |= {f"[pager.{name}]": pager.model_dump() for name, pager in file.pager.items()}
    tables |= {"[issues]": file.issues.model_dump()} if file.issues else {}
    places = {place: str(table.get("url", "")) for place, table in tables.items() if any(map(table.get, TOKENS))}
    secret = {name: settings.variables.get(pager.url_env, "") for name, pager in file.pager.items() if pager.url_env}
    places |= {f"[pager.{name}]": address for name, address in secret.items()}
    for place, address in {"SLACK_API_URL": settings.env.slack_api_url, **places}.items():
        url = urlparse(address)
        if url.scheme == "http" and (url.hostname or "") not in HERE:
            yield warning("host", f"{place} sends its token to {url.hostname} without encryption", "use https://")
