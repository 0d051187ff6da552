"""A number in a Kubernetes object as a scaler: compare-and-set, or server-side apply, with a token that rotates."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path as File
from typing import Annotated

from pydantic import StringConstraints

from bot.adapters.build_context import BuildContext
from bot.adapters.http.address import BaseUrl
from bot.adapters.http.client import Http, HttpAnswer, bearer
from bot.adapters.http.connection import ConnectOptions
from bot.adapters.http.json_answer import one_line
from bot.adapters.http.rows import rows
from bot.adapters.scalers.policy import PolicyTable
from bot.adapters.scalers.quantity import Path, amount, at, dotted, nested
from bot.core.external import Problem
from bot.core.words import listed
from bot.ports import Capacity, Failure, Refused, Unreachable

MOUNTED = "/var/run/secrets/kubernetes.io/serviceaccount"
"""Where the kubelet mounts the service account's token, renewed about hourly, and the cluster's CA."""
MERGE_PATCH = "application/merge-patch+json"
APPLY_PATCH = "application/apply-patch+yaml"
"""Server-side apply; the API server reads JSON as YAML."""
RELEASE = "let its owner give the field up, as the page describes, or change it there"
REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
REVIEW = {"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview"}
"""A self review, which any token may create."""

PAUSED = frozenset({"paused", "paused-replicas", "paused-scale-out"})
"""How annotations end by which a controller leaves an object alone: KEDA's, Cluster API's and others'."""
RESUME = "Resume it first."
OFF = {("paused", "false"), ("paused-scale-out", "false")}

Body = Mapping[str, object]
Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$", max_length=253)]
"""A Kubernetes name; it becomes part of a path."""


class ClusterTable(PolicyTable):
    """The settings of every kind that uses Kubernetes: the object and the API server."""

    namespace: str
    name: Name
    url: BaseUrl = "https://kubernetes.default.svc"
    """Address of the API server; the default is right inside the cluster."""
    token_env: str = ""
    """Variable with a bearer token, instead of `token_file`."""
    token_file: str = f"{MOUNTED}/token"
    """Read before every request, because the kubelet renews it; empty: no token, as for `kubectl proxy`."""
    ca_file: str = f"{MOUNTED}/ca.crt"
    """CA certificates for an https address; empty: the usual public ones."""
    proxy: BaseUrl = ""
    """Address of an HTTP proxy to the API server; empty: none."""


@dataclass(frozen=True, slots=True)
class KubernetesResource:
    group: str
    """Empty for the core group."""
    version: str
    plural: str
    subresource: str = ""

    def path(self, namespace: str, name: str) -> str:
        """The path of an object; `namespace` is empty for objects without one."""
        base = f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"
        inside = f"{base}/namespaces/{namespace}" if namespace else base
        return f"{inside}/{self.plural}/{name}{f'/{self.subresource}' if self.subresource else ''}"


def paused(found: Body) -> str:
    """By which annotations its controller leaves an object alone; empty if by none."""
    notes = at(found, ("metadata", "annotations"))
    names = [
        f"{name}={value}"
        for name, value in (notes.items() if isinstance(notes, Mapping) else ())
        if (word := str(name).rpartition("/")[2]) in PAUSED and (word, str(value).lower()) not in OFF
    ]
    return f"it is paused ({one_line(listed(names))})" if names else ""


@dataclass(frozen=True, slots=True)
class Figures:
    """Where an object says what; an empty path says nothing."""

    field: Path
    """The number that is set."""
    current: Path = ()
    minimum: Path = ()
    maximum: Path = ()
    per_runner: int = 1
    absent: int | None = None
    """What a missing `field` means; None: unknown."""
    manager: str = ""
    """The field manager for server-side apply, which is never forced; empty: a merge patch, whoever manages it."""
    unset: str = "set it there first"
    """What to do when `field` is missing."""
    trouble: Callable[[Body], str] = lambda _: ""
    """Why the configured runners do not come, as the object says."""
    rests: Callable[[Body], str] = paused
    """Why its controller starts nobody, whatever the number is; empty if it works."""


class ObjectScaler:
    """One object. Every call raises Unreachable, or Refused with the API server's reason."""

    def __init__(  # noqa: PLR0913, PLR0917 - an object, and how it is reached
        self,
        pool: str,
        place: str,
        table: ClusterTable,
        context: BuildContext,
        resource: KubernetesResource,
        figures: Figures,
    ) -> None:
        """Raises ConfigError with the place if the table's variable is not set."""
        self._system, self._table, self._resource, self.figures = f"Scaler of {pool}", table, resource, figures
        self._wire, self._token = context.wire, context.token(place, "token_env", table.token_env)
        self.path = resource.path(table.namespace, table.name)
        inside = f" in namespace {table.namespace}" if table.namespace else ""
        part = f"/{resource.subresource}" if resource.subresource else ""
        self._object = f"{table.name}{inside}"
        self._needed = f"Tailback needs get and patch on {resource.plural}{part}{inside}"

    async def read(self) -> Capacity:
        """The configured number, its limits in the same object, and how many there are if it says so."""
        found, figures = await self._seen(), self.figures
        level, current = self._level(found), self._runners(found, figures.current)
        most = self._runners(found, figures.maximum)
        return Capacity(
            current if figures.current else level,
            self._least(found),
            most,
            desired=level if figures.current else None,
            limited_by="" if most is None else f"{dotted(figures.maximum)} of {self._table.name}",
            trouble=figures.rests(found) or figures.trouble(found),
        )

    async def set(self, target: int, request_id: str) -> None:  # noqa: ARG002 - an absolute number needs no key
        """Set the number within the limits in the same object, with a patch that names the version read.

        If the object changed but not the field, as in its own status, it is tried once more. If the field changed,
        Unreachable(LATER) is raised, so that the caller checks again. If the field belongs to another manager, Refused
        names it.
        """
        place, seen = self.figures.field, await self._seen()
        for last in (False, True):
            goal, before = self._goal(seen, target), at(seen, place)
            if before == goal:
                return
            if (why := self.figures.rests(seen)) and target > self._level(seen):
                raise Refused(f"{self._table.name} would start nobody: {why}. {RESUME}")
            answer = await self._patch(seen, nested(place, goal))
            if answer.ok:
                return
            if answer.status != 409:
                raise self._refusal(f"be set to {goal}", answer)
            seen = await self._seen()
            if owned := self._owned(seen):
                raise Refused(f"{self._system}: {owned}, so nothing was changed", remedy=RELEASE)
            if last or at(seen, place) != before:
                what = "somebody else changed it in this moment (HTTP 409)"
                raise Unreachable(self._system, what, failure=Failure.LATER, remedy="look again")

    async def lacking(self) -> tuple[Problem, ...] | None:
        """Missing permissions, by a review that changes nothing, and others who manage the field."""
        table, resource = self._table, self._resource
        object_ = {"group": resource.group, "resource": resource.plural, "name": table.name}
        object_ |= {"namespace": table.namespace} if table.namespace else {}
        object_ |= {"subresource": resource.subresource} if resource.subresource else {}
        document = {**REVIEW, "spec": {"resourceAttributes": {"verb": "patch", **object_}}}
        try:
            answer = await (await self._http()).send("POST", REVIEWS, document)
        except Unreachable:
            return None
        allowed = at(answer.body, ("status", "allowed")) if answer.ok else None
        if allowed is False:
            return (Problem(f"{self._system}: {table.name} may be read and not changed", self._needed),)
        try:
            owned = self._owned(await self._seen()) if self.figures.manager else ""
        except (Refused, Unreachable):
            owned = ""
        if owned:
            return (Problem(f"{self._system}: {owned}", RELEASE),)
        return () if allowed is True else None

    def _goal(self, found: Body, target: int) -> object:
        """What the field is to be for a number of runners. Raises Refused beyond the object's own limits."""
        figures, level = self.figures, self._level(found)
        least, most = self._least(found), self._runners(found, figures.maximum)
        head = f"{dotted(figures.field)} of {self._table.name} cannot go to {target:,}"
        if least is not None and target < least:
            raise Refused(f"{head}, below its {dotted(figures.minimum)} of {least:,}.")
        if most is not None and target > most:
            raise Refused(f"{head}: limited to {most:,} by its {dotted(figures.maximum)}.")
        known, value = at(found, figures.field), target * figures.per_runner
        if target == level:
            return known
        return str(value) if isinstance(known, str) else value

    def _level(self, found: Body) -> int:
        place, name, each = dotted(self.figures.field), self._table.name, self.figures.per_runner
        known = amount(found, self.figures.field)
        if known is None and self.figures.absent is None:
            problem = f"{self._system}: {name} has no {place}, or it is not a number"
            raise Refused(problem, remedy=self.figures.unset)
        if known is not None and known % each:
            odd = f"{self._system}: {place} of {name} is {known:,}, no multiple of per_runner ({each:,})"
            raise Refused(odd, remedy="make it one, or correct per_runner")
        return int((known or 0) // each)

    def _least(self, found: Body) -> int | None:
        return self._runners(found, self.figures.minimum) or 0 if self.figures.minimum else None

    def _runners(self, found: Body, path: Path) -> int | None:
        known = amount(found, path)
        return None if known is None else int(known // self.figures.per_runner)

    def _owned(self, seen: Body) -> str:
        """Which other managers the field belongs to, by `metadata.managedFields`; empty if to none that matters."""
        place, manager = self.figures.field, self.figures.manager
        entries = rows(at(seen, ("metadata", "managedFields"))) if manager else []
        found = [str(one.get("manager")) for one in entries if _manages(one.get("fieldsV1"), place)]
        others = list(dict.fromkeys(name for name in found if name != manager))
        return f"{dotted(place)} of {self._table.name} belongs to {listed(others)}" if others else ""

    async def _seen(self) -> Body:
        answer = await self._send("GET")
        if not answer.ok:
            raise self._refusal("be read", answer)
        if not isinstance(answer.body, dict) or not isinstance(answer.body.get("spec"), dict):
            what = f"its answer is not a Kubernetes object: {answer.text}"
            raise Unreachable(self._system, what, failure=Failure.LATER)
        return answer.body

    async def _patch(self, seen: Body, change: Body) -> HttpAnswer:
        metadata: dict[str, object] = {"resourceVersion": at(seen, ("metadata", "resourceVersion"))}
        if not (manager := self.figures.manager):
            return await self._send("PATCH", {"metadata": metadata, **change}, MERGE_PATCH)
        metadata |= {key: found for key in ("name", "namespace") if (found := at(seen, ("metadata", key)))}
        whole = {"apiVersion": seen.get("apiVersion"), "kind": seen.get("kind"), "metadata": metadata, **change}
        return await self._send("PATCH", whole, APPLY_PATCH, {"fieldManager": manager})

    async def _send(
        self, method: str, body: Body | None = None, kind: str = "", params: Mapping[str, str] | None = None
    ) -> HttpAnswer:
        http = await self._http()
        try:
            return await http.send(method, self.path, body, {"Content-Type": kind} if kind else None, params)
        except Unreachable as error:
            if error.failure is not Failure.CREDENTIALS:
                raise
            raise http.problem(error.what, Failure.CREDENTIALS, remedy=self._needed) from None

    async def _http(self) -> Http:
        table = self._table
        options = ConnectOptions(table.ca_file if table.url.startswith("https://") else "", table.proxy)
        try:
            token = self._token
            if table.token_file and not token:
                token = (await asyncio.to_thread(File(table.token_file).read_text, "utf-8")).strip()
            return self._wire.http(self._system, table.url, headers=bearer(token), options=options)
        except (OSError, UnicodeDecodeError) as error:
            words = f"cannot read the service account's token or the cluster's CA ({error})"
            remedy = "run inside the cluster with a service account, or set token_env, ca_file and url"
            raise Unreachable(self._system, words, failure=Failure.SHAPE, remedy=remedy) from None

    def _refusal(self, what: str, answer: HttpAnswer) -> Refused:
        return Refused(f"{self._system}: {self._object} could not {what} (HTTP {answer.status}): {answer.text}")


def _manages(fields: object, place: Path) -> bool:
    """Whether an entry of `managedFields` has a field, or a whole part of the object that contains it."""
    for key in place:
        fields = fields.get(f"f:{key}") if isinstance(fields, dict) else None
        if fields == {}:
            return True
    return False
