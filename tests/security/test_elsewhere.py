"""C6: whatever back ends, Slack and Amazon answer, only the configured hosts are asked; no token goes elsewhere."""

from contextlib import suppress

import httpx
import pytest
from starlette.requests import Request
from starlette.responses import Response

from bot.adapters.http.client import HttpPool
from bot.adapters.registry import METRICS
from bot.ports import Refused, Unreachable
from tests.adapters.back_end import parts_with
from tests.adapters.scalers.aws_api import patient_aws
from tests.answering import answering, answering_with
from tests.metrics_sources import ADDRESSED, least_table
from tests.security.test_canary import canary

OWN = "ci.test"
TOKEN = "token-0123456789abcdef"
POOL = "linux.2xlarge"
EVIL = "https://evil.example/next?page=2&id_after=5&private_token=x"
LINKS = f'<{EVIL}>; rel="next", <{EVIL.replace("=2", "=3")}>; rel="last"'
BODIES: tuple[object, ...] = (
    [{"id": 1, "url": EVIL, "html_url": EVIL, "next": EVIL}],
    {"total_count": 300, "runners": [{"id": 1, "url": EVIL}], "workflow_runs": [{"id": 1, "jobs_url": EVIL}]},
    {"items": [{"task": {"url": EVIL}, "url": EVIL}], "computer": [{"url": EVIL}], "next": EVIL, "nextPage": EVIL},
    {"jobs": {"queues": {POOL: {"scheduled": 9}}, "url": EVIL}, "agents": {"queues": {"a": {}}}, "links": EVIL},
)


@pytest.mark.parametrize("status", [200, 201, 301, 302, 303, 307, 308])
@pytest.mark.parametrize("kind", sorted({*ADDRESSED} - {"prometheus"}))
async def test_no_link_and_no_redirect_leads_a_source_of_figures_away(kind: str, status: int) -> None:
    """Pages are followed by their numbers alone; addresses in answers are never asked."""
    asked: list[str] = []
    for body in BODIES:

        def answer(request: httpx.Request, body: object = body) -> httpx.Response:
            asked.append(request.url.host)
            return httpx.Response(status, json=body, headers={"Link": LINKS, "Location": EVIL, "Refresh": f"0;{EVIL}"})

        async with HttpPool(httpx.MockTransport(answer)) as wire:
            parts = parts_with(wire, {"T": f"user:{TOKEN}"})
            source = METRICS[kind](kind, "place", least_table(kind, f"https://{OWN}"), {POOL: {}}, parts)
            with suppress(Unreachable, Refused):
                await source.snapshot(POOL)
    assert {*asked} == {OWN}


async def test_aws_is_asked_at_its_own_address_alone(monkeypatch: pytest.MonkeyPatch, made_up_aws: None) -> None:
    """A redirect in the place of an answer, and proxies of the environment."""
    async with canary() as (address, visits):
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, address)
        async with answering_with(b"", 307, Location=f"{address}/stolen") as url:
            with pytest.raises((Unreachable, Refused)):
                await patient_aws(url).read("Scaler", "autoscaling", "describe_auto_scaling_groups", {})
        assert visits == []


async def test_a_refused_signature_of_aws_does_not_repeat_our_request(
    monkeypatch: pytest.MonkeyPatch, made_up_aws: None
) -> None:
    """Amazon's error explains itself with the headers that were signed, a session token among them."""
    monkeypatch.setenv("AWS_SESSION_TOKEN", TOKEN)

    async def endpoint(request: Request) -> Response:
        given = request.headers["x-amz-security-token"]
        words = f"It does not match.\n\nThe Canonical String for this request should have been\n'POST\n{given}'"
        error = f"<Error><Code>SignatureDoesNotMatch</Code><Message>{words}</Message></Error>"
        return Response(f"<ErrorResponse>{error}</ErrorResponse>", 403, media_type="text/xml")

    async with answering(endpoint) as url:
        with pytest.raises(Unreachable, match="refused the credentials") as caught:
            await patient_aws(url).read("Scaler", "autoscaling", "describe_auto_scaling_groups", {})
    assert "It does not match" in str(caught.value)
    assert TOKEN not in str(caught.value)
