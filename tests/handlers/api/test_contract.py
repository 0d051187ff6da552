"""The OpenAPI document: what it allows is what the API answers, and the curl lines of its page work."""

import asyncio
import json
import re
import shlex
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.schemas import BaseSchema

from handlers.api import access
from handlers.api.endpoints import ENDPOINTS
from handlers.api.openapi import PREFIX, document
from tests.architecture.tree import ROOT
from tests.builders import POOL
from tests.docs_pages import page, rows
from tests.handlers.api.conftest import OPEN_TOKEN, TABLE, with_api
from tests.handlers.endpoint import Endpoint
from tests.jobs.test_find import URL

PAGE = "docs/reference/api.md"
EXAMPLES = 15
"""Requests of each kind to each path, always the same ones."""
CONTRACT: BaseSchema = schemathesis.openapi.from_dict({**document(TABLE["url"]), "security": []})
"""Every request has a token here; who is let in is tested in test_api.py."""
PATHS = (*("/".join((PREFIX, *one.path)) for one in ENDPOINTS), f"{PREFIX}/openapi.json")
OPERATIONS = [CONTRACT[path]["GET"] for path in PATHS]


class Served:
    """An API with an open incident, asked from tests that are no coroutines."""

    def __init__(self, runner: asyncio.Runner) -> None:
        self._runner = runner
        self.api: Endpoint = runner.run(self._opened())

    async def _opened(self) -> Endpoint:
        api = with_api()
        await api.world.opens(queued=14)
        return api

    def answers(self, case: Any) -> httpx.Response:
        request = case.as_transport_kwargs(base_url="http://tailback")
        names = ("method", "url", "params")
        headers = {**dict(request["headers"] or {}), "Authorization": f"Bearer {OPEN_TOKEN}"}
        sent = self.api.client.build_request(**{name: request.get(name) for name in names}, headers=headers)
        return self._runner.run(self.api.client.send(sent))

    def close(self) -> None:
        self._runner.run(self.api.world.context.close())
        self._runner.run(self.api.client.aclose())


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with pytest.MonkeyPatch.context() as patch, asyncio.Runner() as runner:
        patch.setattr(access, "BURST", 10**9)
        made = Served(runner)
        yield made
        made.close()


@pytest.mark.parametrize(
    ("operation", "mode"),
    [(one, mode) for mode in GenerationMode for one in OPERATIONS if mode is GenerationMode.POSITIVE or one.query],
    ids=lambda one: getattr(one, "label", one),
)
def test_every_answer_is_one_that_the_document_allows(operation: Any, mode: GenerationMode, served: Served) -> None:
    """For requests that keep to it, and for those that do not: no 5xx, no other status, no other object."""

    @settings(
        max_examples=EXAMPLES,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def check(case: Any) -> None:
        case.validate_response(served.answers(case))

    check()


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda one: one.label)
def test_the_objects_that_there_are_have_the_form_of_the_document(operation: Any, served: Served) -> None:
    """Of the queueing pool and its incident: made-up names hardly find one."""
    names = {"name": POOL, "id": served.api.world.incident.id}
    parameters = {one: names[one] for one in names if f"{{{one}}}" in operation.path}
    query = {"effects": {"added": "5,10"}, "jobs": {"url": URL}}.get(operation.path.split("/")[-1], {})
    case = operation.Case(path_parameters=parameters, query=query)
    answer = served.answers(case)
    assert answer.status_code == 200
    case.validate_response(answer)


async def test_the_curl_lines_of_the_page_ask_every_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the real program and a real server; the address, the token and the incident's id are those of here."""
    lines = [line for block in page(PAGE).code("sh") for line in block.splitlines()]
    assert set(rows(page(PAGE).section("Paths"))) == set(PATHS)
    paths = set()
    async with with_api() as api, api.process() as address:
        incident = await api.world.opens()
        for line in lines:
            given = line.replace("$TAILBACK_API_TOKEN", OPEN_TOKEN).replace("https://tailback.example.com", address)
            words = shlex.split(given.replace("/incidents/i1", f"/incidents/{incident.id}"))
            ran = await asyncio.create_subprocess_exec(*words, "--fail", stdout=asyncio.subprocess.PIPE)
            output, _ = await ran.communicate()
            assert (ran.returncode, output[:1]) == (0, b"{"), line
            path = re.search(r"/api/v1/[^?\"]+", line)
            paths.add(path[0].replace(POOL, "{name}").replace("/i1", "/{id}") if path else "")
    assert paths == set(PATHS)


async def test_the_panel_for_grafana_asks_for_what_there_is() -> None:
    """Its query is answered, and each of its columns is a value of a queueing pool."""
    panel = json.loads((ROOT / "docs/examples/grafana/pools-panel.json").read_text())
    (target,) = panel["targets"]
    async with with_api() as api:
        await api.world.opens(queued=14)
        answer = await api.client.get(target["url"].removeprefix(TABLE["url"]))
        (pool,) = answer.json()[target["root_selector"]]
    for column in target["columns"]:
        found: Any = pool
        for part in column["selector"].split("."):
            found = next(iter(found[int(part) :]), {}) if part.isdecimal() else found.get(part)
        type_of_column = (int, float) if column["type"] == "number" else str
        assert found is None or isinstance(found, type_of_column), column
