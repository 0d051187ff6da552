"""Talks to a Kubernetes API server: rotating token, the cluster's CA, compare-and-set."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from pydantic import StringConstraints

from bot.adapters.build_context import Parts
from bot.adapters.http.address import BaseUrl
from bot.adapters.http.client import Http, HttpAnswer, HttpPool, bearer
from bot.adapters.http.connection import Way
from bot.adapters.scalers.policy import PolicyTable
from bot.adapters.scalers.size import whole
from bot.core.external import Problem
from bot.ports import Failure, Refused, Unreachable

MOUNTED = "/var/run/secrets/kubernetes.io/serviceaccount"
"""Where the kubelet mounts the service account's token, renewed about hourly, and the cluster's CA."""
MERGE_PATCH = {"Content-Type": "application/merge-patch+json"}

REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
REVIEW = {"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview"}
"""A self review, which any token may create."""

Body = Mapping[str, object]
Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$", max_length=253)]
"""A Kubernetes name; it becomes part of a path."""


class ClusterTable(PolicyTable):
    """The settings of every kind that uses Kubernetes: the object and the API server."""

    namespace: Name
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
        """The object as it is now."""
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
        allowed = _part(answer.body, "status").get("allowed") if isinstance(answer.body, dict) and answer.ok else None
        if not isinstance(allowed, bool):
            return None
        may_not = f"{self.system}: {self.table.name} may be read and not changed"
        needs = f"Tailback needs {self.needs} in namespace {self.table.namespace}"
        return () if allowed else (Problem(may_not, needs),)

    async def swap(self, number: Callable[[Body], int | None], goal: int, spec: Callable[[Body], Body]) -> None:
        """Set a number to `goal` with a merge patch that names the version read.

        If the object changed but not the number, as in its own status, it is tried once more. If the number changed,
        Unreachable(LATER) is raised, so that the caller checks again. `spec` builds the patch from the object, or
        raises Refused.
        """
        seen = await self.read()
        for last in (False, True):
            change = spec(seen)
            if number(seen) == goal:
                return
            http = await self._http()
            version = _part(seen, "metadata").get("resourceVersion")
            answer = await self._allowed(http, "PATCH", {"metadata": {"resourceVersion": version}, "spec": change})
            if answer.ok:
                return
            if answer.status != 409:
                raise self._refusal(f"be set to {goal:,}", answer)
            before, seen = number(seen), await self.read()
            if last or number(seen) != before:
                raise http.problem(
                    "somebody else changed it in this moment (HTTP 409)", Failure.LATER, remedy="look again"
                )

    async def _allowed(self, http: Http, method: str, body: Body | None = None) -> HttpAnswer:
        try:
            return await http.send(method, self.path, body, MERGE_PATCH if body else None)
        except Unreachable as error:
            if error.failure is not Failure.CREDENTIALS:
                raise
            remedy = f"Tailback needs {self.needs} in namespace {self.table.namespace}"
            raise http.problem(error.what, Failure.CREDENTIALS, remedy=remedy) from None

    async def _http(self) -> Http:
        table = self.table
        ca_file = table.ca_file if table.url.startswith("https://") else ""
        try:
            token = self.token or await asyncio.to_thread(_token_in, table.token_file)
            return self.wire.http(self.system, table.url, headers=bearer(token), way=Way(ca_file, table.proxy))
        except (OSError, UnicodeDecodeError) as error:
            words = f"cannot read the service account's token or the cluster's CA ({error})"
            remedy = "run inside the cluster with a service account, or set token_env, ca_file and url"
            raise Unreachable(self.system, words, failure=Failure.SHAPE, remedy=remedy) from None

    def _refusal(self, what: str, answer: HttpAnswer) -> Refused:
        place = f"{self.table.name} in namespace {self.table.namespace}"
        return Refused(f"{self.system}: {place} could not {what} (HTTP {answer.status}): {answer.text}")


def cluster_of(pool: str, place: str, table: ClusterTable, parts: Parts, path: str, needs: str) -> Cluster:  # noqa: PLR0913, PLR0917 - what an object is reached by
    """The object of a pool's table; raises ConfigError if its variable is not set."""
    token = parts.token(place, "token_env", table.token_env)
    return Cluster(parts.wire, f"Scaler of {pool}", table, path, needs, token)


def _token_in(path: str) -> str:
    return Path(path).read_text("utf-8").strip() if path else ""


def part_number(body: Body, part: str, key: str) -> int | None:
    """A number under `spec` or `status`; None if missing."""
    return whole(_part(body, part), key)


def _named(path: str) -> dict[str, str]:
    """`/apis/GROUP/VERSION/namespaces/NAMESPACE/RESOURCE/NAME[/SUBRESOURCE]` as a review names it."""
    before, _, after = path.partition("/namespaces/")
    roots = before.split("/")
    names = ("namespace", "resource", "name", "subresource")
    return {"group": roots[2] if roots[1] == "apis" else "", **dict(zip(names, after.split("/"), strict=False))}


def _part(body: Body, part: str) -> Mapping[str, object]:
    found = body.get(part)
    return found if isinstance(found, dict) else {}
