"""Keeps silences like Alertmanager's API v2: validated, extended or replaced, expired, matched to alerts."""

import re
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from bot.playground.fleet.api.promql import LabelMatcher, accepted_by
from bot.playground.fleet.api.wire import read_time, written
from bot.playground.fleet.metrics import Labels

_LABEL_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")


class SilenceRefused(ValueError):  # noqa: N818 - reads as the past participle that it is
    """The API refuses the request with this HTTP status and sentence."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


@dataclass(frozen=True, slots=True)
class FleetSilence:
    """One silence; times are seconds since 1970."""

    id: str
    matchers: tuple[LabelMatcher, ...]
    starts_at: float
    ends_at: float
    updated_at: float
    created_by: str
    comment: str

    def state(self, now: float) -> str:
        """Return pending, active or expired."""
        if now < self.starts_at:
            return "pending"
        return "active" if now < self.ends_at else "expired"

    def silences(self, labels: Labels) -> bool:
        """Say whether all matchers accept these labels; a missing label is the empty string."""
        return accepted_by(self.matchers, labels)

    def as_json(self, now: float) -> dict[str, object]:
        """Return the silence as the API shows it."""
        return {
            "id": self.id,
            "status": {"state": self.state(now)},
            "updatedAt": written(self.updated_at),
            "comment": self.comment,
            "createdBy": self.created_by,
            "startsAt": written(self.starts_at),
            "endsAt": written(self.ends_at),
            "matchers": [
                {"name": m.name, "value": m.value, "isRegex": "~" in m.op, "isEqual": not m.op.startswith("!")}
                for m in self.matchers
            ],
            "annotations": {},
        }


class Silences:
    """All silences of one Alertmanager; expired ones are kept and listed."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._kept: dict[str, FleetSilence] = {}

    def post(self, body: Mapping[str, object]) -> str:
        """Create a silence, or change the one named by `id`; return the id to remember. Raises SilenceRefused.

        It is extended in place only when the matchers and, once active, the start (to the second) are the same;
        otherwise the old one expires and a new id comes back.
        """
        now = self._clock()
        posted = _read(body, now)
        old = self.get(posted.id) if posted.id else None
        if old is not None and _extends(old, posted, now):
            starts_at = old.starts_at if old.state(now) == "active" else max(posted.starts_at, now)
            return self._keep(replace(posted, starts_at=starts_at))
        if old is not None:
            self.expire(old.id)
        return self._keep(replace(posted, id=str(uuid.uuid4()), starts_at=max(posted.starts_at, now)))

    def get(self, silence_id: str) -> FleetSilence:
        """Return a silence; raises SilenceRefused with 404 when the id is unknown."""
        if silence_id not in self._kept:
            raise SilenceRefused(404, "silence not found")
        return self._kept[silence_id]

    def expire(self, silence_id: str) -> None:
        """End a silence now; one that has ended is unchanged. Raises SilenceRefused with 404."""
        now, old = self._clock(), self.get(silence_id)
        if old.state(now) == "expired":
            return
        self._keep(replace(old, starts_at=min(old.starts_at, now), ends_at=now, updated_at=now))

    def listed(self) -> list[FleetSilence]:
        """Return all silences, active first, soonest end first."""
        now, order = self._clock(), {"active": 0, "pending": 1, "expired": 2}
        return sorted(self._kept.values(), key=lambda s: (order[s.state(now)], s.ends_at))

    def active_for(self, labels: Labels) -> list[str]:
        """Return the ids of the active silences that match these labels."""
        now = self._clock()
        return [s.id for s in self._kept.values() if s.state(now) == "active" and s.silences(labels)]

    def _keep(self, silence: FleetSilence) -> str:
        self._kept[silence.id] = silence
        return silence.id


def _extends(old: FleetSilence, new: FleetSilence, now: float) -> bool:
    if set(old.matchers) != set(new.matchers) or old.state(now) == "expired":
        return False
    return old.state(now) == "pending" or int(old.starts_at) == int(new.starts_at)


def _read(body: Mapping[str, object], now: float) -> FleetSilence:
    for name in ("comment", "createdBy", "endsAt", "matchers", "startsAt"):
        if body.get(name) is None:
            raise SilenceRefused(422, f"{name} in body is required")
    matchers = _read_matchers(body["matchers"])
    starts_at, ends_at = _time(body, "startsAt"), _time(body, "endsAt")
    if ends_at < now:
        raise SilenceRefused(400, "Failed to create silence: end time can't be in the past")
    if ends_at <= starts_at:
        raise SilenceRefused(400, "Failed to create silence: start time must be before end time")
    texts = {name: str(body[name]) for name in ("createdBy", "comment")}
    return FleetSilence(
        str(body.get("id") or ""), matchers, starts_at, ends_at, now, texts["createdBy"], texts["comment"]
    )


def _time(body: Mapping[str, object], name: str) -> float:
    try:
        return read_time(body[name])
    except ValueError as problem:
        raise SilenceRefused(400, f"parsing silence body failed: {name}: {problem}") from None


def _read_matchers(found: object) -> tuple[LabelMatcher, ...]:
    if not isinstance(found, list) or not found:
        raise SilenceRefused(422, "matchers in body should have at least 1 items")
    matchers = tuple(_read_matcher(item) for item in found)
    if all(m.accepts("") for m in matchers):
        raise SilenceRefused(400, "silence invalid: at least one matcher must not match the empty string")
    return matchers


def _read_matcher(item: Mapping[str, Any]) -> LabelMatcher:
    for name, kind in (("name", str), ("value", str), ("isRegex", bool)):
        if not isinstance(item.get(name), kind):
            raise SilenceRefused(422, f"matchers.{name} in body is required")
    if not _LABEL_NAME.fullmatch(item["name"]):
        raise SilenceRefused(400, f"silence invalid: invalid label name {item['name']!r}")
    equal = item.get("isEqual", True) is not False
    op = {(True, False): "=", (False, False): "!=", (True, True): "=~", (False, True): "!~"}[(equal, item["isRegex"])]
    return _compiled(LabelMatcher(item["name"], op, item["value"]))


def _compiled(matcher: LabelMatcher) -> LabelMatcher:
    if "~" in matcher.op:
        try:
            re.compile(matcher.value)
        except re.error as problem:
            raise SilenceRefused(400, f"invalid regular expression {matcher.value!r}: {problem}") from None
    return matcher
