"""A stand-in for a Kubernetes API server: versions and conflicts, rights, a token, scale subresources, field managers.

Server-side apply answers as apimachinery does: an Update entry or another manager's Apply entry that has the field is
a conflict (`NewConflictError` in pkg/util/managedfields/internal/conflict.go: one cause per field, and its message
`conflict with "MANAGER" using VERSION`); what a manager applied before and leaves out now is removed.
"""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from bot.playground.serving import ABORT

DEPLOYMENT = "/apis/apps/v1/namespaces/ci/deployments/runners/scale"
SCALE_SET = "/apis/actions.github.com/v1alpha1/namespaces/arc-runners/autoscalingrunnersets/linux-2xlarge"
HPA = "/apis/autoscaling/v2/namespaces/ci/horizontalpodautoscalers/runners"
KINDS = {
    "horizontalpodautoscalers": "HorizontalPodAutoscaler",
    "scaledobjects": "ScaledObject",
    "horizontalrunnerautoscalers": "HorizontalRunnerAutoscaler",
    "nodepools": "NodePool",
    "scale": "Scale",
    "autoscalingrunnersets": "AutoscalingRunnerSet",
}
Document = dict[str, Any]


@dataclass
class KubernetesApi:
    """Objects by path. Every change has a new resourceVersion, and a patch that names an older one is a conflict."""

    objects: dict[str, Document] = field(default_factory=dict)
    managers: dict[str, Document] = field(default_factory=dict)
    """Manager → what it manages of every object, as in `fieldsV1`."""
    token: str = "cluster-token"
    verbs: frozenset[str] = frozenset({"GET", "PATCH"})
    """What the token may do."""
    silent: bool = False
    """Changes are made, and their answers are lost."""
    interferences: list[Document] = field(default_factory=list)
    """What others change right before the next patches arrive: spec and status, or nothing but the version."""
    patches: list[Document] = field(default_factory=list)
    reviews: list[dict[str, str]] = field(default_factory=list)
    """The rights that were asked about."""
    reviews_refused: bool = False
    version: int = 100

    def put(self, path: str, spec: Document, status: Document) -> None:
        self.version += 1
        start, _, _ = path.partition("/namespaces/")
        version, (*_, plural, name) = start.removeprefix("/apis/"), path.split("/")
        metadata = {"name": name, "resourceVersion": str(self.version)}
        kind = {"apiVersion": "/".join(version.split("/")[:2]), "kind": KINDS.get(plural, KINDS.get(name, ""))}
        self.objects[path] = {**kind, "metadata": metadata, "spec": spec, "status": status}

    def change(self, path: str, parts: Document) -> None:
        known = self.objects[path]
        self.put(path, merged(known["spec"], parts.get("spec", {})), merged(known["status"], parts.get("status", {})))

    async def endpoint(self, request: Request) -> Response:
        path, verb = request.url.path, request.method
        if self.token and request.headers.get("authorization", "") != f"Bearer {self.token}":
            return failure(401, "Unauthorized")
        if path.endswith("/selfsubjectaccessreviews"):
            return await self.reviewed(request)
        if verb not in self.verbs:
            who, what = "system:serviceaccount:ci:tailback", path.split("/")[-2]
            return failure(403, f'{what} is forbidden: User "{who}" cannot {verb.lower()} resource "{what}"')
        if path not in self.objects:
            return failure(404, f'"{Path(path).name}" not found')
        if verb == "PATCH":
            return await self.patched(request, path)
        return JSONResponse(self.shown(path))

    async def reviewed(self, request: Request) -> Response:
        """Whether the token may do what it asks about; the object must be named as it is."""
        body = await request.json()
        attributes = body["spec"]["resourceAttributes"]
        self.reviews.append(attributes)
        if self.reviews_refused:
            return failure(403, "selfsubjectaccessreviews.authorization.k8s.io is forbidden")
        return JSONResponse({**body, "status": {"allowed": attributes["verb"].upper() in self.verbs}}, 201)

    async def patched(self, request: Request, path: str) -> Response:
        """A JSON merge patch or an apply; a conflict when it names an older version, or another manager's field."""
        body: Document = await request.json()
        applied = request.headers["content-type"] == "application/apply-patch+yaml"
        assert applied or request.headers["content-type"] == "application/merge-patch+json"
        if self.interferences:
            self.change(path, self.interferences.pop(0))
        known = self.objects[path]
        if applied:
            assert (body["apiVersion"], body["kind"]) == (known["apiVersion"], known["kind"])
            if refusal := self.applied(known, request.query_params["fieldManager"], body["spec"]):
                return refusal
        if body["metadata"]["resourceVersion"] != known["metadata"]["resourceVersion"]:
            return failure(409, "the object has been modified; please apply your changes to the latest version")
        if any(int(str(number)) < 0 for number in leaves(body["spec"])):
            return failure(422, "must be greater than or equal to 0")
        self.patches.append({"spec": body["spec"]})
        self.change(path, {"spec": body["spec"]})
        if self.silent:
            request.scope["extensions"][ABORT]()
        return JSONResponse(self.shown(path))

    def applied(self, known: Document, manager: str, spec: Document) -> Response | None:
        """Takes over what nobody else manages; the answer if somebody does."""
        fields = {"f:spec": managed(spec)}
        for other, theirs in self.managers.items():
            owned = [one for one in paths(theirs) if one in {place[: len(one)] for place in paths(fields)}]
            if other != manager and owned:
                place = "." + ".".join(key.removeprefix("f:") for key in paths(fields)[0])
                message = f'conflict with "{other}" using {known["apiVersion"]}'
                causes = [{"reason": "FieldManagerConflict", "message": message, "field": place}]
                return failure(409, f"Apply failed with 1 conflict: {message}: {place}", causes)
        for gone in set(paths(self.managers.get(manager, {}))) - set(paths(fields)):
            inner = known
            for key in gone[:-1]:
                inner = inner[key.removeprefix("f:")]
            del inner[gone[-1].removeprefix("f:")]
        self.managers[manager] = fields
        return None

    def shown(self, path: str) -> Document:
        """As the API server writes it: a number of replicas that is 0 is left out."""
        found = deepcopy(self.objects[path])
        found["spec"] = {name: value for name, value in found["spec"].items() if (name, value) != ("replicas", 0)}
        rows = [{"manager": name, "operation": "Apply", "fieldsV1": fields} for name, fields in self.managers.items()]
        found["metadata"]["managedFields"] = rows
        return found


def merged(known: Document, change: Mapping[str, Any]) -> Document:
    both = {key: merged(known.get(key, {}), new) for key, new in change.items() if isinstance(new, dict)}
    return {**known, **change, **both}


def managed(part: Document) -> Document:
    return {f"f:{key}": managed(value) if isinstance(value, dict) else {} for key, value in part.items()}


def paths(fields: Document) -> list[tuple[str, ...]]:
    return [(key, *rest) for key, inner in fields.items() for rest in (paths(inner) or [()])]


def leaves(part: Document) -> list[object]:
    return [leaf for value in part.values() for leaf in (leaves(value) if isinstance(value, dict) else [value])]


def failure(code: int, message: str, causes: list[dict[str, str]] | None = None) -> Response:
    details = {"details": {"causes": causes}} if causes else {}
    return JSONResponse({"kind": "Status", "status": "Failure", "message": message, "code": code, **details}, code)
