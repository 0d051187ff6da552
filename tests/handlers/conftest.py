"""A web process on working fakes, and an empty folder to run commands in."""

import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import structlog
from structlog.testing import capture_logs

from tests.handlers.endpoint import Endpoint


@pytest.fixture
async def endpoint() -> AsyncIterator[Endpoint]:
    async with Endpoint() as opened:
        yield opened


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """This very process, in an empty folder and without Tailback's variables; its log is as before afterwards."""
    for name in list(os.environ):
        if name.startswith(("SLACK_", "TAILBACK_", "REDIS_", "GITHUB_", "LOG_")) or name in {"HOST", "PORT"}:
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    yield monkeypatch
    structlog.reset_defaults()


@pytest.fixture
def quiet() -> Iterator[None]:
    """Tracebacks are kept and not drawn: drawing one takes longer than all of a test."""
    with capture_logs():
        yield
