"""The pages on Alertmanager and Grafana: each configuration through the doctor, good and bad."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from handlers.doctor.findings import CheckFinding, Level
from tests.answering import answering
from tests.integrations.checking import checked, line_of, only
from tests.journeys.real_alertmanager import alertmanager

URLS = {"alertmanager": "http://localhost:9093", "grafana": "https://example.grafana.net"}
DENIED = {
    "accessErrorId": "ACE0123456789",
    "message": "You'll need additional permissions to perform this action. Permissions needed: alert.instances:read",
    "title": "Access denied",
}


async def found(page: str, url: str, folder: Path) -> CheckFinding:
    """The doctor's one finding about the alertmanager of a page."""
    variables = {"GRAFANA_TOKEN": "glsa_made_up_0123456789"}
    return only(await checked(page, folder, {URLS[page]: url}, variables), "alertmanager")


def answering_by_path(answer: Callable[[str], Response]) -> AbstractAsyncContextManager[str]:
    async def endpoint(request: Request) -> Response:
        return answer(request.url.path)

    return answering(endpoint)


@pytest.mark.needs("alertmanager")
async def test_the_configuration_of_alertmanagers_page_works(tmp_path: Path) -> None:
    async with alertmanager(tmp_path / "am") as real:
        one = await found("alertmanager", real.url, tmp_path)
        assert (one.state, one.text) == (Level.OK, "main: 0 alerts fire, silences can be read; nothing was changed")
        assert await real.silences() == []


async def test_the_configuration_of_grafanas_page_works(tmp_path: Path) -> None:
    """Its API lies below /api/alertmanager/grafana."""
    asked: list[str] = []

    def answer(path: str) -> Response:
        asked.append(path)
        return JSONResponse([])

    async with answering_by_path(answer) as url:
        one = await found("grafana", url, tmp_path)
    assert (one.state, one.text[:24]) == (Level.OK, "grafana: 0 alerts fire, ")
    api = {f"/api/alertmanager/grafana/api/v2/{part}" for part in ("alerts", "silences")}
    assert set(asked) == {*api, "/api/access-control/user/permissions"}


SILENCES = ["alert.silences:create", "alert.silences:write"]
GENERAL = ["alert.instances:create", "alert.instances:write"]
READS = ["alert.silences:read", "alert.instances:read"]


@pytest.mark.parametrize(
    ("permissions", "state", "text"),
    [
        ([*READS, *SILENCES], Level.OK, "silences can be read and created; nothing was changed"),
        ([*READS, *GENERAL], Level.OK, "silences can be read and created; nothing was changed"),
        (READS, Level.WARNING, "its token may not make silences nor extend or end silences"),
        ([*READS, SILENCES[0]], Level.WARNING, "its token may not extend or end silences"),
        ([], Level.OK, "silences can be read; nothing was changed"),
        (None, Level.OK, "silences can be read; nothing was changed"),
    ],
)
async def test_a_grafana_token_that_may_only_read_is_told_before_anybody_clicks(
    tmp_path: Path, permissions: list[str] | None, state: Level, text: str
) -> None:
    """Grafana says what a token may do; one that does not say is not taken for one that refuses."""

    def answer(path: str) -> Response:
        if not path.endswith("/permissions"):
            return JSONResponse([])
        scopes = {name: ["folders:uid:abc"] for name in permissions or ()}
        return JSONResponse(scopes) if permissions is not None else JSONResponse({"message": "Not found"}, 404)

    async with answering_by_path(answer) as url:
        one = await found("grafana", url, tmp_path)
    assert one.state is state
    assert text in one.text
    if state is Level.WARNING:
        assert one.remedy.startswith("give the service account alert.silences:")
        assert one.remedy.endswith("on the rules' folder, in the open-source edition the role Editor")


@pytest.mark.parametrize("page", ["alertmanager", "grafana"])
@pytest.mark.parametrize(
    ("status", "body", "text", "remedy"),
    [
        (401, {"message": "Invalid API key"}, "refused the credentials (HTTP 401): Invalid API key", "check the token"),
        (403, DENIED, "Permissions needed: alert.instances:read", "and its permissions"),
        (404, {}, "refused listing the alerts (HTTP 404)", "correct [alertmanager."),
        (409, {"message": "alertmanager not ready"}, "is not ready yet (HTTP 409)", "check again in a minute"),
        (302, {}, "answered with a redirect", "configure the final address"),
        (200, None, "its answer is not JSON", "check again in a minute"),
    ],
)
async def test_each_failure_is_told_with_its_remedy(  # noqa: PLR0917 - the columns of the table above
    tmp_path: Path, page: str, status: int, body: object, text: str, remedy: str
) -> None:
    """Wrong token, missing permission by its name, wrong path, not ready, redirect, a login page."""

    def answer(_: str) -> Response:
        headers = {"Location": "https://elsewhere.example/"}
        return Response("<html>log in</html>") if body is None else JSONResponse(body, status, headers)

    async with answering_by_path(answer) as url:
        one = await found(page, url, tmp_path)
    assert one.state is Level.PROBLEM
    assert text in one.text
    assert remedy in one.remedy
    assert "glsa_made_up" not in line_of(one)


async def test_silences_that_may_not_be_read_are_told_although_alerts_may(tmp_path: Path) -> None:
    """The token of a viewer of some kinds of Grafana."""

    def answer(path: str) -> Response:
        return JSONResponse([]) if path.endswith("/alerts") else JSONResponse(DENIED, 403)

    async with answering_by_path(answer) as url:
        one = await found("grafana", url, tmp_path)
    assert one.state is Level.PROBLEM
    assert "(HTTP 403)" in one.text


async def test_nobody_at_the_address(tmp_path: Path) -> None:
    """The page's configuration on a machine without an Alertmanager."""
    one = await found("alertmanager", "http://127.0.0.1:9", tmp_path)
    assert "cannot be reached at 127.0.0.1:9" in one.text
    assert "the url in [alertmanager.main]" in one.remedy
