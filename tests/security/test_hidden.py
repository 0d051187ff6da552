"""C12: no credential of a back end stands in an error, whatever the back end says and whatever is in the variable."""

import base64
import io
import logging
from collections.abc import Callable, Mapping

import httpx
import pytest
import structlog
from structlog.testing import LogCapture

from bot.adapters.http.client import HttpPool, bearer
from bot.adapters.metrics import buildkite, github, gitlab, hud, jenkins
from bot.config import Environment, File, Settings
from bot.ports import Failure, Metrics, Refused, Unreachable
from handlers.logs import HIDDEN, Redaction, secrets_of, set_up
from tests.adapters.back_end import URL, parts_with, patient_pool, serving_once
from tests.adapters.scalers.aws_api import AwsApi, patient_aws
from tests.answering import answering

TOKEN = "ghs_0123456789abcdefghijklmnopqrstuvwxyz"
POOL = "linux.2xlarge"
Build = Callable[..., Metrics]
KINDS: dict[str, tuple[Build, dict[str, object], str]] = {
    "github": (github.build, {"organizations": ["o"], "token_env": "T"}, TOKEN),
    "gitlab": (gitlab.build, {"projects": ["g/p"], "token_env": "T"}, TOKEN),
    "buildkite": (buildkite.build, {"token_env": "T"}, TOKEN),
    "hud": (hud.build, {"token_env": "T"}, TOKEN),
    "jenkins": (jenkins.build, {"basic_env": "T"}, f"tailback:{TOKEN}"),
}
CODED = base64.b64encode(f"tailback:{TOKEN}".encode()).decode()
"""How Jenkins's is sent."""


def echoing(status: int, before: int = 0) -> HttpPool:
    """A back end that repeats every header it was sent, and the token in them alone."""

    def answer(request: httpx.Request) -> httpx.Response:
        given = [*request.headers.values(), TOKEN]
        return httpx.Response(status, json={"message": "x" * before + " ".join(given)})

    return HttpPool(httpx.MockTransport(answer))


@pytest.mark.parametrize("status", [200, 401, 403, 404, 422, 429, 500])
@pytest.mark.parametrize("kind", KINDS)
async def test_a_back_end_that_repeats_its_headers_gives_no_credential_away(kind: str, status: int) -> None:
    """Every new source of figures, every kind of refusal."""
    build, table, value = KINDS[kind]
    parts = parts_with(echoing(status), {"T": value})
    source = build(kind, f"[metrics.{kind}]", {"kind": kind, "url": URL, **table}, {POOL: {}}, parts)
    try:
        shown = repr(await source.snapshot(POOL))
    except (Unreachable, Refused) as error:
        shown = f"{error!s} {error!r}"
    assert TOKEN not in shown
    assert CODED not in shown


@pytest.mark.parametrize("before", [0, *range(240, 310, 7)])
async def test_a_token_of_one_request_is_taken_out_before_anything_is_cut(before: int) -> None:
    """The token of an App's installation comes with each request; half of one in a cut sentence is one too many."""
    async with echoing(500, before) as wire:
        with pytest.raises(Unreachable) as caught:
            await wire.http("GitHub", URL).get("/x", headers=bearer(TOKEN))
    assert TOKEN[:12] not in caught.value.what


@pytest.mark.parametrize("spoilt", [f"{TOKEN}\n", f"{TOKEN}\nX-Evil: 1", f"{TOKEN}\0", f"—{TOKEN}", f"{TOKEN}\r"])
@pytest.mark.parametrize("header", ["Authorization", "PRIVATE-TOKEN"])
async def test_a_token_that_no_header_may_hold_is_named_and_not_repeated(spoilt: str, header: str) -> None:
    """The HTTP library would repeat it in its own error; nothing is sent."""
    async with serving_once() as url, patient_pool() as wire:
        with pytest.raises(Unreachable, match="no header may have; correct it") as caught:
            await wire.http("GitLab", url, headers={header: spoilt}).get("/x")
    assert TOKEN not in str(caught.value)
    assert caught.value.failure is Failure.CREDENTIALS


def test_the_log_knows_a_secret_without_its_line_end_and_both_halves_of_a_rotation() -> None:
    """Files and pipes add an end of line; what is left is good."""
    env = Environment.model_validate({"github_webhook_secret": "first-of-two,second-of-two"})
    settings = Settings(env, File(), {"GITLAB_TOKEN": f" {TOKEN}\n"})
    assert settings.secret("GITLAB_TOKEN") == TOKEN
    assert {TOKEN, "first-of-two", "second-of-two"} <= {*secrets_of(settings)}


SHAPES: Mapping[str, str] = {
    "GitLab": "glpat-0123456789abcdefghij",
    "Buildkite": "bkua_0123456789abcdef0123456789abcdef01234567",
    "GitHub installation": TOKEN,
    "AWS session": "ASIAIOSFODNN7EXAMPLE",
    "service account": "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJrdWJlIn0.c2lnbmF0dXJl",
    "private key": "-----BEGIN RSA PRIVATE KEY-----\nMIIEow+/IBAAKCAQEA\nabc=\n-----END RSA PRIVATE KEY-----",
    "cut private key": "-----BEGIN PRIVATE KEY-----\nMIIEow+/IBAAKCAQEA",
}


@pytest.mark.parametrize("shape", SHAPES)
def test_the_log_knows_the_shapes_of_the_new_credentials(shape: str) -> None:
    """The second line, for values that no variable holds."""
    event = Redaction(())(LogCapture(), "info", {"event": f"refused {SHAPES[shape]} by x"})
    assert HIDDEN in event["event"]
    assert SHAPES[shape][-12:] not in event["event"]


async def test_what_the_aws_library_says_of_its_requests_is_in_no_log(
    monkeypatch: pytest.MonkeyPatch, made_up_aws: None
) -> None:
    """At DEBUG it writes every signed header; a role's session token stands in no variable that the log could know."""
    monkeypatch.setenv("AWS_SESSION_TOKEN", TOKEN[4:])
    root, level, stream = list(logging.root.handlers), logging.root.level, io.StringIO()
    set_up("DEBUG", "json", stream)
    try:
        async with answering(AwsApi().endpoint) as url:
            names = {"AutoScalingGroupNames": ["ci-linux"]}
            await patient_aws(url).read("Scaler", "autoscaling", "describe_auto_scaling_groups", names)
        logging.getLogger("somebody").debug("heard")
    finally:
        structlog.reset_defaults()
        logging.root.handlers[:] = root
        logging.root.setLevel(level)
    assert "heard" in stream.getvalue()
    assert TOKEN[4:] not in stream.getvalue()
    assert "botocore" not in stream.getvalue()
