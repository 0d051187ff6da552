"""Renders the Helm chart for the tests: documents by kind and name, and what the custom resources may contain."""

import json
from collections.abc import Mapping
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from tests.architecture.tree import ROOT
from tests.processes import Ran, program

CHART = ROOT / "deploy/helm/tailback"
Document = dict[str, Any]


def helm(command: str, values: Mapping[str, object], code: int | None = 0) -> Ran:
    """`helm template` or `helm lint` with these values."""
    words = ["helm", *command.split(), str(CHART), "--namespace", "ops", "--values", "-"]
    return program(*words, given=json.dumps(values), code=code)


def rendered(**values: object) -> list[Document]:
    """All documents of a release named `tailback` in the namespace `ops`."""
    return [document for document in yaml.safe_load_all(helm("template tailback", values).out) if document]


def only(documents: list[Document], kind: str, name: str = "tailback") -> Document:
    """The one document of that kind and name."""
    (found,) = [one for one in documents if (one["kind"], one["metadata"]["name"]) == (kind, name)]
    return found


def kinds(documents: list[Document]) -> set[str]:
    return {one["kind"] for one in documents}


def pods(documents: list[Document]) -> list[Document]:
    """The pod templates of all workloads."""
    return [one["spec"]["template"] for one in documents if one["kind"] in {"Deployment", "StatefulSet"}]


def selected(documents: list[Document], labels: Mapping[str, str]) -> list[Document]:
    """The pod templates that a selector fits."""
    return [pod for pod in pods(documents) if labels.items() <= pod["metadata"]["labels"].items()]


class Strict(BaseModel):
    """Nothing but the fields of the Prometheus operator's API reference, monitoring.coreos.com/v1, that we use."""

    model_config = ConfigDict(extra="forbid")


class Metadata(Strict):
    name: str = Field(pattern=r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")
    labels: dict[str, str]


class Rule(Strict):
    expr: str
    record: str | None = None
    alert: str | None = None
    for_: str | None = Field(None, alias="for", pattern=r"^\d+[smhd]$")
    labels: dict[str, str] = Field(default_factory=dict)
    annotations: dict[str, str] = Field(default_factory=dict)


class Group(Strict):
    """Rules that are evaluated together."""

    name: str
    interval: str | None = None
    rules: list[Rule] = Field(min_length=1)


class Groups(Strict):
    groups: list[Group] = Field(min_length=1)


class PrometheusRule(Strict):
    api: Literal["monitoring.coreos.com/v1"] = Field(alias="apiVersion")
    kind: Literal["PrometheusRule"]
    metadata: Metadata
    spec: Groups


class Endpoint(Strict):
    """One port to scrape."""

    port: str
    path: str
    interval: str = Field(pattern=r"^\d+[smh]$")


class Labels(Strict):
    """A selector."""

    labels: dict[str, str] = Field(alias="matchLabels")


class Monitor(Strict):
    """Which services are scraped, and the label that names the job."""

    job: str = Field(alias="jobLabel")
    selector: Labels
    endpoints: list[Endpoint] = Field(min_length=1)


class ServiceMonitor(Strict):
    """An object that says what is scraped."""

    api: Literal["monitoring.coreos.com/v1"] = Field(alias="apiVersion")
    kind: Literal["ServiceMonitor"]
    metadata: Metadata
    spec: Monitor


CUSTOM: TypeAdapter[PrometheusRule | ServiceMonitor] = TypeAdapter(PrometheusRule | ServiceMonitor)
