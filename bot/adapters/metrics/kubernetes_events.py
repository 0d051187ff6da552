"""Kubernetes as a metrics source: ARC's runners and their pods, and why some of them do not start."""

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from pydantic import Field

from bot.adapters.http.address import BaseUrl
from bot.adapters.http.client import Http, bearer
from bot.adapters.metrics.kubernetes_runners import Objects, drawn
from bot.adapters.metrics.listing import USUAL_SECONDS, Listed, Listing, Present, tried
from bot.adapters.metrics.rows import Row, document, inner, rows, text
from bot.adapters.metrics.source import Given, SourceKind, SourceTable, always
from bot.config import Seconds, Table
from bot.core.pool.pool import Gap, Snapshot
from bot.ports import Failure, Unreachable

MOUNTED = "/var/run/secrets/kubernetes.io/serviceaccount"
IN_CLUSTER = "https://kubernetes.default.svc"
PAGE, MOST_PAGES = "500", 20
CLUSTER_NAMESPACE = "default"
"""Where events of nodes and node claims are, which have no namespace."""
RUNNERS = "/apis/actions.github.com/v1alpha1/namespaces/{}/ephemeralrunners"
PODS, EVENTS = "/api/v1/namespaces/{}/pods", "/api/v1/namespaces/{}/events"


class KubernetesEventsTable(SourceTable):
    """`[metrics.NAME]` with `kind = "kubernetes_events"`."""

    url: BaseUrl = IN_CLUSTER
    """Inside the cluster the cluster's own CA is trusted, unless `ca_file` names another."""
    namespace: str = Field(pattern=r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")
    """The namespace of the runners."""
    token_env: str = ""
    """Variable with a bearer token, instead of `token_file`."""
    token_file: str = f"{MOUNTED}/token"
    """Read before every request, because the kubelet renews it; empty: no token, as for `kubectl proxy`."""
    node_events: bool = False
    """Whether events of nodes and Karpenter's node claims are read too, in the namespace `default`."""
    every: Seconds = USUAL_SECONDS


class KubernetesEventsPool(Table):
    """The keys of `[pool."NAME"]` that belong to Kubernetes."""

    scale_set: str = ""
    """The name of the runner scale set; the pool's name when empty."""


class KubernetesEvents(Present):
    """The port `Metrics`. Runners, pods and events are each listed once for all pools."""

    def __init__(
        self, http: Http, pools: Mapping[str, str], table: KubernetesEventsTable, now: Callable[[], float]
    ) -> None:
        """`pools`: pool → scale set. `now` gives epoch seconds."""
        self._http, self._pools, self._now = http, pools, now
        paths = [path.format(table.namespace) for path in (RUNNERS, PODS, EVENTS)]
        if table.node_events:
            paths.append(EVENTS.format(CLUSTER_NAMESPACE))
        self._lists = [Listing(partial(self._ask, path), now, table.every) for path in paths]

    async def snapshot(self, pool: str) -> Snapshot:
        """The pool now. Without pods or events, failures are unknown. Raises Unreachable without the runners."""
        runners, *others = await asyncio.gather(*(tried(one) for one in self._lists))
        if isinstance(runners, Unreachable):
            raise runners
        found = [() if isinstance(one, Unreachable) else one.value for one in others]
        gaps = [Gap("create_failures", one.what, one.remedy) for one in others if isinstance(one, Unreachable)]
        pods, *events = found
        objects = Objects(runners.value, pods, [row for rows_ in events for row in rows_])
        return drawn(pool, runners.at, self._pools[pool], objects, gaps)

    async def _ask(self, path: str) -> Listed[tuple[Row, ...]]:
        """Every object of a list. Raises Unreachable if a page is missing."""
        now, found, more = self._now(), list[Row](), dict[str, str]()
        for _ in range(MOST_PAGES):
            body = await self._page(path, more)
            found += rows(body["items"])
            following = text(inner(body, "metadata"), "continue")
            if not following:
                return Listed(tuple(found), now)
            more = {"continue": following}
        raise self._http.problem(f"{path} has more than {MOST_PAGES * int(PAGE):,} objects", Failure.SHAPE)

    async def _page(self, path: str, more: Mapping[str, str]) -> Row:
        kind, namespace = path.rpartition("/")[2], path.split("/")[-2]
        try:
            answer = await self._http.get(path, {"limit": PAGE, **more})
        except Unreachable as error:
            if error.failure is not Failure.CREDENTIALS:
                raise
            remedy = f"allow list on {kind} in namespace {namespace} to Tailback's service account"
            raise self._http.problem(error.what, Failure.CREDENTIALS, remedy=remedy) from None
        body = document(self._http, answer, kind)
        if not isinstance(body.get("items"), list):
            raise self._http.problem(f"its answer is no list of {kind}", Failure.SHAPE, remedy="check url")
        return body


def _made(given: Given[KubernetesEventsTable, KubernetesEventsPool]) -> KubernetesEvents:
    table = given.table
    if not table.ca_file and table.url == IN_CLUSTER and Path(MOUNTED, "ca.crt").exists():
        table = table.model_copy(update={"ca_file": f"{MOUNTED}/ca.crt"})
    token = given.token("token_env", table.token_env)
    token_file = "" if token else table.token_file
    http = given.http(table, "Kubernetes", table.url, headers=bearer(token), token_file=token_file)
    pools = {pool: keys.scale_set or pool for pool, keys in given.pools.items()}
    return KubernetesEvents(http, pools, table, given.parts.now)


FIGURES = ("busy", "idle", "booting", "failed", "creates", "registered", "create_failures", "create_failures_by_code")
build = SourceKind(KubernetesEventsTable, KubernetesEventsPool, always(*FIGURES), _made)
