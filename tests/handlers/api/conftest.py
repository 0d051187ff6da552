"""One web process with an API, and a client for each token."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from tests.handlers.endpoint import Endpoint
from tests.jobs.test_find import JOB, Known

OPEN_TOKEN, NEXT_TOKEN, PRIVATE_TOKEN = "token-of-grafana", "token-of-grafana-2", "token-of-the-leads"
PRIVATE = "C0PRIVATE"
TABLE: dict[str, Any] = {
    "url": "https://tailback.example.com",
    "tokens": [
        {"name": "grafana", "token_env": "API_TOKEN"},
        {"name": "leads", "token_env": "LEADS_TOKEN", "channels": [PRIVATE]},
    ],
}
VARIABLES = {"API_TOKEN": f"{OPEN_TOKEN}, {NEXT_TOKEN}", "LEADS_TOKEN": PRIVATE_TOKEN}


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def with_api(**tables: Any) -> Endpoint:
    """A web process with `[api]`, and a source that knows one job by any address."""
    made = Endpoint(**{"api": TABLE, **tables})
    context = made.world.context
    context.settings = replace(context.settings, variables=VARIABLES)
    made.world.chat.private[PRIVATE] = frozenset()
    made.world.context.jobs = Known(JOB)
    made.client.headers.update(bearer(OPEN_TOKEN))
    return made


@pytest.fixture
async def api() -> AsyncIterator[Endpoint]:
    async with with_api() as made:
        yield made
