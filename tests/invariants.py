"""What must hold after every test in which something was scaled, from what the scaler saw and the audit trail says."""

import json
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.adapters.records import decode
from bot.core.audit_chain import AuditEntry
from bot.core.scaling.lease import PoolLeases

AUDIT, DUE, LEASES = "{tailback}:audit", "{tailback}:due", "{tailback}:rec:lease:"


@dataclass(frozen=True, slots=True)
class Effect:
    """A target that reached a scaler; `at` in epoch seconds, on the clock of the audit trail."""

    pool: str
    target: int
    key: str
    """Its Idempotency-Key: the act, and for a hand-back the target behind it."""
    before: int | None
    """The pool's size in that moment; None where the scaler does not know it."""
    most: int | None
    """What the configuration allowed in that moment."""
    at: float


WATCHED: list[Callable[[], list[str]]] = []
"""What gives the broken promises of each world that the running test has made; tests/conftest.py asks them all."""


def broken(effects: Sequence[Effect], trail: Sequence[AuditEntry]) -> list[str]:
    """Each promise on scaling that was broken, in a sentence (P3, P5, C9, C11)."""
    found = [sentence for effect in effects for sentence in _judged(effect, trail)]
    targets: dict[str, set[int]] = {}
    for effect in effects:
        targets.setdefault(effect.key, set()).add(effect.target)
    found += [
        f"{key} asked for {sorted(several)}: one effect per click"
        for key, several in targets.items()
        if len(several) > 1
    ]
    requests = {entry.act for entry in trail if entry.what == "scale_up" and entry.outcome.startswith("asked")}
    raises = {effect.key for effect in effects if _what(effect, trail) == "scale_up"}
    found += [f"{key} was done and nobody asked for it" for key in sorted(raises - requests)]
    return found + undercut(effects)


def undercut(effects: Sequence[Effect]) -> list[str]:
    """Targets below what others set: a size that is not our own last target is theirs, and so is the first (P5)."""
    found, ours, theirs = [], dict[str, int](), dict[str, int | None]()
    for effect in effects:
        if effect.before is None or effect.before != ours.get(effect.pool):
            theirs[effect.pool] = effect.before
        floor = theirs[effect.pool]
        if floor is not None and effect.target < floor:
            found.append(f"{effect.key} set {effect.target}: below the {floor} that others had set")
        ours[effect.pool] = effect.target
    return found


def _judged(effect: Effect, trail: Sequence[AuditEntry]) -> list[str]:
    found, intents = [], _intents(effect, trail)
    if effect.most is not None and effect.target > effect.most:
        found.append(f"{effect.key} set {effect.target}: above the limit of {effect.most}")
    if not any(entry.at <= effect.at + 0.001 for entry in intents):
        found.append(f"{effect.key} set {effect.target} before the audit trail knew of it")
    elif str(effect.target) not in {entry.parameters.get("target") for entry in intents}:
        found.append(f"{effect.key} set {effect.target}, and the audit trail speaks of another target")
    if _what(effect, trail) == "scale_up" and effect.before is not None and effect.target < effect.before:
        found.append(f"{effect.key} lowered {effect.pool} from {effect.before} to {effect.target}")
    return found


def _intents(effect: Effect, trail: Sequence[AuditEntry]) -> list[AuditEntry]:
    requests = {effect.key, effect.key.rpartition(".")[0]}
    return [entry for entry in trail if entry.outcome == "sent" and entry.act in requests]


def _what(effect: Effect, trail: Sequence[AuditEntry]) -> str:
    return next((entry.what for entry in _intents(effect, trail)), "")


def forgotten(leases: Mapping[str, PoolLeases], due: Container[str]) -> list[str]:
    """Pools with extra capacity that ends some day, of which no worker will ever think again: never handed back."""
    ending = [pool for pool, lease in leases.items() if any(lease.ends_at is not None for lease in lease.leases)]
    lost = [pool for pool in ending if f"lease:{pool}" not in due]
    return [f"the lease of {pool} is not due: nobody would hand it back" for pool in lost]


def in_redis(redis: Any, effects: Sequence[Effect]) -> list[str]:
    """The same of a real Redis, read with a plain client: not by the product's own word."""
    trail = [AuditEntry(**json.loads(fields[b"entry"])) for _, fields in redis.xrange(AUDIT)]
    documents = {key.decode().rpartition(":")[2]: redis.hget(key, "doc") for key in redis.scan_iter(f"{LEASES}*")}
    leases = {pool: decode(PoolLeases, pool, document) for pool, document in documents.items() if document}
    due = {member.decode() for member in redis.zrange(DUE, 0, -1)}
    return broken(effects, trail) + forgotten(leases, due)
