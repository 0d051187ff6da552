"""Silences and firing alerts by the Alertmanager API, version 2, for Prometheus Alertmanager and Grafana."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from bot.adapters.build_context import ReachTable
from bot.adapters.http.address import BaseUrl
from bot.adapters.http.client import Http, HttpAnswer
from bot.config import Period
from bot.core.alert import GUESSED, RULE_UID, Alert, Delivery, Matcher
from bot.core.words import duration
from bot.ports import Failure, Refused, SilenceFound, Unreachable
from bot.sources.payload import Unreadable, fields, instant, items, text

SILENCE_ID = re.compile(r"[\w-]{1,100}", re.ASCII)
"""Pattern of ids that may be part of a path; back ends use no others."""
KEPT_FIELDS = ("id", "matchers", "startsAt", "createdBy", "comment", "annotations")
"""The fields that are sent again when a silence gets another end."""
BATCH = 500
"""Alerts parsed at once."""
NOT_READY = 409
"""Grafana's status while its Alertmanager starts."""

Parse = Callable[[bytes], Delivery]
"""The webhook parser of the same sender, so that an alert is parsed alike wherever it came from."""


class ApiV2Table(ReachTable):
    kind: str
    url: BaseUrl
    external_url: BaseUrl = ""
    """The address in its payloads (`externalURL`), if it differs from `url`."""
    token_env: str = ""
    max_silence: Period = 86400.0


class ApiV2:
    """The port `Alertmanager`. Raises Refused with the back end's own reason, or Unreachable."""

    def __init__(self, table: ApiV2Table, http: Http, prefix: str, parse: Parse) -> None:
        """`prefix` is the path of the API under the configured address; `parse` reads an alert of this sender."""
        self.kind = table.kind
        self.max_silence_seconds = table.max_silence
        self.addresses = tuple(filter(None, (table.external_url, table.url)))
        self._http, self._prefix, self._parse = http, prefix, parse

    async def silence(
        self, matchers: Sequence[Matcher], *, starts_at: float, ends_at: float, by: str, comment: str
    ) -> str:
        """Create a silence, read it back and return its id.

        A silence that differs from the request is ended again and refused. When reading back fails,
        Unreachable(UNKNOWN) is raised: the silence may exist, and `find` by its tag can tell.
        """
        if not any(m.value and m.is_equal and not m.is_regex for m in matchers):
            raise Refused("A silence needs at least one exact label of this alert; it would silence other alerts too.")
        if (seconds := ends_at - starts_at) <= 0:
            raise Refused("A silence must end after it begins.")
        if seconds > self.max_silence_seconds + 1:
            raise Refused(f"{duration(seconds)} is longer than the {duration(self.max_silence_seconds)} allowed here.")
        written = [{"name": m.name, "value": m.value, "isRegex": m.is_regex, "isEqual": m.is_equal} for m in matchers]
        times = {"startsAt": _rfc3339(starts_at), "endsAt": _rfc3339(ends_at)}
        stored = await self._put({"matchers": written, **times, "createdBy": by, "comment": comment}, matchers)
        return stored.id

    async def find(self, tag: str) -> SilenceFound | None:
        """The newest active or pending silence whose comment contains `tag` as a word."""
        word = re.compile(rf"(?<![\w-])(?={re.escape(tag)}(?![\w-]))" if tag[:1].isalnum() else re.escape(tag))
        found: list[tuple[float, SilenceFound]] = []
        for row in await self._listed("silences", "silences"):
            state, silence = silence_from(row)
            if silence is not None and state in {"active", "pending"} and word.search(silence.comment):
                found.append((instant(fields(row).get("updatedAt")) or 0.0, silence))
        return max(found, key=lambda pair: pair[0])[1] if found else None

    async def silenced(self) -> tuple[SilenceFound, ...]:
        found = [silence_from(row)[1] for row in await self._listed("silences", "silences")]
        return tuple(silence for silence in found if silence is not None and silence.active)

    async def _listed(self, path: str, what: str, query: Mapping[str, str] | None = None) -> list[object]:
        answer = await self._http.get(f"{self._prefix}/{path}", query)
        self._accepted(answer, f"listing the {what}", Failure.LATER)
        if not isinstance(answer.body, list):
            raise self._http.problem(f"its list of {what} cannot be read", Failure.LATER)
        return answer.body

    async def extend(self, silence_id: str, ends_at: float) -> SilenceFound:
        """Send the silence again with another end, and read it back; nothing else changes.

        With the same matchers and start it keeps its id; otherwise the back end ends it and returns a new one. Raises
        Refused when it has ended, Unreachable(UNKNOWN) when the outcome is unknown.
        """
        before = fields(await self._document(silence_id))
        state, silence = silence_from(before)
        if silence is None or state not in {"active", "pending"}:
            lost = f"The silence is over, or {self._http.system} has lost it; silence again if it is needed."
            raise Refused(lost)
        document = {key: before[key] for key in KEPT_FIELDS if key in before} | {"endsAt": _rfc3339(ends_at)}
        stored = await self._put(document, silence.matchers)
        if abs(stored.ends_at - ends_at) > 1:
            raise self._http.problem("took the longer silence but does not show it yet", Failure.UNKNOWN)
        if stored.id != silence_id:
            await self.end(silence_id)
        return stored

    async def _document(self, silence_id: str) -> object:
        """One silence as the back end writes it; None if it does not know it."""
        if not SILENCE_ID.fullmatch(silence_id):
            return None
        answer = await self._http.get(f"{self._prefix}/silence/{silence_id}")
        if answer.status in {404, 422}:
            return None
        self._accepted(answer, "reading the silence", Failure.LATER)
        return answer.body

    async def _put(self, document: Mapping[str, object], matchers: Sequence[Matcher]) -> SilenceFound:
        """Store a silence and read it back; raises Refused if it has other matchers, after it was ended."""
        answer = await self._http.send("POST", f"{self._prefix}/silences", document)
        self._accepted(answer, "the silence", Failure.UNKNOWN)
        body = fields(answer.body)
        silence_id = body.get("silenceID") or body.get("silenceId") or body.get("id")
        if not isinstance(silence_id, str):
            raise self._http.problem(f"took the silence but gave no id: {answer.text}", Failure.UNKNOWN)
        try:
            stored = await self.get(silence_id)
        except Unreachable as problem:
            raise self._http.problem(f"took the silence, then: {problem.what}", Failure.UNKNOWN) from None
        if stored is None:
            raise self._http.problem("took the silence but does not show it yet", Failure.UNKNOWN)
        if set(stored.matchers) != set(matchers):
            await self.end(silence_id)
            raise Refused(f"{self._http.system} stored other matchers than were asked for, so the silence was ended.")
        return stored

    async def get(self, silence_id: str) -> SilenceFound | None:
        """One silence, recently ended ones included; None if the back end does not know it."""
        if (document := await self._document(silence_id)) is None:
            return None
        silence = silence_from(document)[1]
        if silence is None:
            raise self._http.problem("its answer is not a readable silence", Failure.LATER)
        return silence

    async def end(self, silence_id: str) -> None:
        """End a silence now; a silence that has ended or is unknown is not an error (Alertmanager 0.25 answers 500)."""
        if not SILENCE_ID.fullmatch(silence_id):
            return
        try:
            answer = await self._http.send("DELETE", f"{self._prefix}/silence/{silence_id}")
        except Unreachable as problem:
            if problem.failure is not Failure.UNKNOWN:
                raise
            left = await self.get(silence_id)
            if left is not None and left.active:
                raise
            return
        if answer.status not in {404, 422}:
            self._accepted(answer, "ending the silence", Failure.UNKNOWN)

    async def firing(self) -> tuple[Alert, ...]:
        """All firing alerts, including silenced and inhibited ones, because their queue is no shorter."""
        query = {"active": "true", "silenced": "true", "inhibited": "true", "unprocessed": "true"}
        return tuple(alerts_from(await self._listed("alerts", "alerts", query), self._parse))

    async def groups(self) -> tuple[Delivery, ...]:
        """Firing alerts, grouped as the back end's routes group them; the routes themselves are not listed."""
        query = {"active": "true", "silenced": "true", "inhibited": "true"}
        found = await self._listed("alerts/groups", "alert groups", query)
        return tuple(groups_from(found, self._parse, self.addresses[0]))

    def _accepted(self, answer: HttpAnswer, what: str, unsure: Failure) -> None:
        if answer.status == NOT_READY:
            raise self._http.problem(f"is not ready yet (HTTP 409): {answer.text}", Failure.LATER)
        if not answer.ok:
            raise Refused(f"{self._http.system} refused {what} (HTTP {answer.status}): {answer.text}")
        if answer.body is None and unsure is Failure.LATER:
            raise self._http.problem(f"its answer is not JSON: {answer.text}", unsure)


def _rfc3339(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def silence_from(row: object) -> tuple[str, SilenceFound | None]:
    """(state, silence) of one document; ("", None) if it is unreadable."""
    found = fields(row)
    ends_at, silence_id = instant(found.get("endsAt")), text(found.get("id"))
    if ends_at is None or not silence_id or not isinstance(found.get("matchers"), list):
        return "", None
    state = text(fields(found.get("status")).get("state"))
    matchers = tuple(
        Matcher(
            text(m.get("name"), None),
            text(m.get("value"), None),
            m.get("isRegex") is True,
            m.get("isEqual") is not False,
        )
        for m in map(fields, items(found["matchers"]))
    )
    comment, by = text(found.get("comment"), None), text(found.get("createdBy"), None)
    return state, SilenceFound(silence_id, state == "active", ends_at, comment, matchers, by)


def alerts_from(rows: Sequence[object], parse: Parse) -> Iterator[Alert]:
    """The alerts of a listing, all of which fire; unreadable ones are skipped."""
    known = [_as_sent(fields(row)) for row in rows if fields(fields(row).get("labels"))]
    for start in range(0, len(known), BATCH):
        alerts = known[start : start + BATCH]
        try:
            yield from parse(json.dumps({"status": "firing", "alerts": alerts}).encode()).alerts
        except Unreadable:
            continue


def groups_from(rows: Sequence[object], parse: Parse, external_url: str) -> Iterator[Delivery]:
    """The groups of a listing, as their webhooks would describe them; unreadable ones are skipped.

    The listing does not contain the routes that a webhook's `groupKey` begins with, so the key is made from the labels.
    It also lacks `externalURL`, so the back end's own address is used.
    """
    for row in rows:
        group = fields(row)
        labels = _shown(fields(group.get("labels")))
        pairs = ", ".join(f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in sorted(labels.items()))
        body = {
            "status": "firing",
            "receiver": text(fields(group.get("receiver")).get("name"), None),
            "groupKey": f"{GUESSED}{{{pairs}}}",
            "groupLabels": labels,
            "externalURL": external_url,
            "alerts": [_as_sent(fields(alert)) for alert in items(group.get("alerts"))],
        }
        states = {text(fields(fields(alert).get("status")).get("state")) for alert in items(group.get("alerts"))}
        try:
            yield replace(parse(json.dumps(body).encode()), suppressed=states == {"suppressed"})
        except Unreadable:
            continue


def _shown(labels: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in labels.items() if not (name.startswith("__") and name.endswith("__"))}


def _as_sent(row: Mapping[str, object]) -> dict[str, object]:
    """The alert as its webhook would describe it: the status as a word, Grafana's internal labels apart."""
    labels = fields(row.get("labels"))
    as_sent = {**row, "labels": _shown(labels), "status": "firing", "endsAt": None}
    return {**as_sent, "ruleUID": labels[RULE_UID]} if RULE_UID in labels else as_sent
