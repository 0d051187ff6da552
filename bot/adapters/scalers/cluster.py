"""Talks to a Kubernetes API server: rotating token, the cluster's CA, compare-and-set, server-side apply."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from pydantic import StringConstraints

from bot.adapters.build_context import BuildContext
from bot.adapters.http.address import BaseUrl
from bot.adapters.http.client import Http, HttpAnswer, HttpPool, bearer
from bot.adapters.http.connection import ConnectOptions
from bot.adapters.metrics.rows import rows
from bot.adapters.scalers.policy import PolicyTable
from bot.adapters.scalers.quantity import Path as FieldPath
from bot.adapters.scalers.quantity import at, dotted, nested
from bot.core.external import Problem
from bot.core.words import listed
from bot.ports import Failure, Refused, Unreachable

MOUNTED = "/var/run/secrets/kubernetes.io/serviceaccount"
"""Where the kubelet mounts the service account's token, renewed about hourly, and the cluster's CA."""
MERGE_PATCH = "application/merge-patch+json"
APPLY_PATCH = "application/apply-patch+yaml"
"""Server-side apply; the API server reads JSON as YAML."""
RELEASE = "let its owner give the field up, as the page describes, or change it there"

REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
REVIEW = {"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview"}
"""A self review, which any token may create."""

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
class Cluster:
    """One Kubernetes object. Every call raises Unreachable, or Refused with the API server's reason."""

    wire: HttpPool = field(repr=False)
    system: str
    table: ClusterTable
    path: str
    needs: str
    """The required permissions, for error messages: `get and patch on deployments/scale`."""
    token: str = field(default="", repr=False)

    async def read(self) -> Body:
        http = await self._http()
        answer = await self._allowed(http, "GET")
        body = answer.body
        if not answer.ok:
            raise self._refusal("be read", answer)
        if not isinstance(body, dict) or not isinstance(body.get("spec"), dict):
            raise http.problem(f"its answer is no Kubernetes object: {answer.text}", Failure.LATER)
        return body

    async def lacking(self) -> tuple[Problem, ...] | None:
        """Missing permissions to change the object, by a review that changes nothing."""
        document = {**REVIEW, "spec": {"resourceAttributes": {"verb": "patch", **_named(self.path)}}}
        try:
            answer = await (await self._http()).send("POST", REVIEWS, document)
        except Unreachable:
            return None
        allowed = at(answer.body, ("status", "allowed")) if answer.ok else None
        if not isinstance(allowed, bool):
            return None
        return (
            () if allowed else (Problem(f"{self.system}: {self.table.name} may be read and not changed", self.needed),)
        )

    async def swap(self, place: FieldPath, value: Callable[[Body], object], manager: str = "") -> None:
        """Set the field at `place` with a patch that names the version read.

        `value` computes it from the object, or raises Refused. If the object changed but not the field, as in its own
        status, it is tried once more. If the field changed, Unreachable(LATER) is raised, so that the caller checks
        again. With `manager` the field is applied by that name (server-side apply, never forced); if it belongs to
        somebody else, Refused names them.
        """
        seen = await self.read()
        for last in (False, True):
            goal = value(seen)
            if at(seen, place) == goal:
                return
            http = await self._http()
            answer = await self._patch(http, seen, nested(place, goal), manager)
            if answer.ok:
                return
            if answer.status != 409:
                raise self._refusal(f"be set to {goal}", answer)
            before, seen = at(seen, place), await self.read()
            if manager and (others := self.owners(seen, place, manager)):
                raise Refused(f"{self.system}: {self.owned(place, others)}, so nothing was changed", remedy=RELEASE)
            if last or at(seen, place) != before:
                raise http.problem(
                    "somebody else changed it in this moment (HTTP 409)", Failure.LATER, remedy="look again"
                )

    async def _patch(self, http: Http, seen: Body, change: Body, manager: str) -> HttpAnswer:
        metadata: dict[str, object] = {"resourceVersion": at(seen, ("metadata", "resourceVersion"))}
        if not manager:
            return await self._allowed(http, "PATCH", {"metadata": metadata, **change}, MERGE_PATCH)
        metadata |= {key: found for key in ("name", "namespace") if (found := at(seen, ("metadata", key)))}
        whole = {"apiVersion": seen.get("apiVersion"), "kind": seen.get("kind"), "metadata": metadata, **change}
        return await self._allowed(http, "PATCH", whole, APPLY_PATCH, {"fieldManager": manager})

    def owners(self, seen: Body, place: FieldPath, manager: str) -> tuple[str, ...]:
        """The other managers of a field, by `metadata.managedFields`."""
        entries = at(seen, ("metadata", "managedFields"))
        found = [str(one.get("manager")) for one in rows(entries) if _manages(one.get("fieldsV1"), place)]
        return tuple(dict.fromkeys(name for name in found if name != manager))

    def owned(self, place: FieldPath, others: tuple[str, ...]) -> str:
        return f"{dotted(place)} of {self.table.name} belongs to {listed(list(others))}"

    @property
    def needed(self) -> str:
        inside = f" in namespace {self.table.namespace}" if self.table.namespace else ""
        return f"Tailback needs {self.needs}{inside}"

    async def _allowed(
        self, http: Http, method: str, body: Body | None = None, kind: str = "", params: Mapping[str, str] | None = None
    ) -> HttpAnswer:
        try:
            return await http.send(method, self.path, body, {"Content-Type": kind} if kind else None, params)
        except Unreachable as error:
            if error.failure is not Failure.CREDENTIALS:
                raise
            raise http.problem(error.what, Failure.CREDENTIALS, remedy=self.needed) from None

    async def _http(self) -> Http:
        table = self.table
        ca_file = table.ca_file if table.url.startswith("https://") else ""
        try:
            token = self.token or await asyncio.to_thread(_token_in, table.token_file)
            options = ConnectOptions(ca_file, table.proxy)
            return self.wire.http(self.system, table.url, headers=bearer(token), options=options)
        except (OSError, UnicodeDecodeError) as error:
            words = f"cannot read the service account's token or the cluster's CA ({error})"
            remedy = "run inside the cluster with a service account, or set token_env, ca_file and url"
            raise Unreachable(self.system, words, failure=Failure.SHAPE, remedy=remedy) from None

    def _refusal(self, what: str, answer: HttpAnswer) -> Refused:
        place = f"{self.table.name} in namespace {self.table.namespace}" if self.table.namespace else self.table.name
        return Refused(f"{self.system}: {place} could not {what} (HTTP {answer.status}): {answer.text}")


def cluster_of(pool: str, place: str, table: ClusterTable, context: BuildContext, path: str, needs: str) -> Cluster:  # noqa: PLR0913, PLR0917 - what an object is reached by
    """The object of a pool's table; raises ConfigError if its variable is not set."""
    token = context.token(place, "token_env", table.token_env)
    return Cluster(context.wire, f"Scaler of {pool}", table, path, needs, token)


def _token_in(path: str) -> str:
    return Path(path).read_text("utf-8").strip() if path else ""


def _named(path: str) -> dict[str, str]:
    """`/apis/GROUP/VERSION[/namespaces/NAMESPACE]/RESOURCE/NAME[/SUBRESOURCE]` as a review names it."""
    words = path.split("/")[2:] if path.startswith("/apis/") else ["", *path.split("/")[2:]]
    names = ("namespace", "resource", "name", "subresource") if words[2] == "namespaces" else ("resource", "name")
    rest = words[3:] if words[2] == "namespaces" else words[2:]
    return {"group": words[0], **dict(zip(names, rest, strict=False))}


def _manages(fields: object, place: FieldPath) -> bool:
    """Whether an entry of `managedFields` has a field, or a whole part of the object that contains it."""
    for key in place:
        fields = fields.get(f"f:{key}") if isinstance(fields, dict) else None
        if fields == {}:
            return True
    return False
