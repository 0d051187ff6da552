"""GitHub's webhooks: who may send, what is stored, and a sentence for everything else."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace

import httpx
import pytest

from bot.adapters.jobs.stored import StoredJobs
from bot.config import Environment
from bot.core.pool.job import JobState
from bot.ports import Unreachable
from bot.sources.github_signature import REFUSED
from handlers.http.metrics import REGISTRY
from tests.handlers.endpoint import Endpoint
from tests.sources.github import event, recorded, signature

SECRET, SECOND = "first-secret-of-ours", "second-secret-of-ours"


def endpoint(secret: str = f"{SECRET},{SECOND}") -> Endpoint:
    made = Endpoint()
    given = {"slack_bot_token": "xoxb-test", "github_webhook_secret": secret}
    made.world.context.settings = replace(made.world.context.settings, env=Environment.model_validate(given))
    return made


@pytest.fixture
async def at() -> AsyncIterator[Endpoint]:
    async with endpoint() as opened:
        yield opened


async def send(
    at: Endpoint, body: bytes, kind: str = "workflow_job", delivery: str = "d1", secret: str = SECRET, **headers: str
) -> httpx.Response:
    """A webhook as GitHub sends it; `headers` go over its own, an empty one is left out."""
    given = {
        "Content-Type": "application/json",
        "User-Agent": "GitHub-Hookshot/044aadd",
        "X-GitHub-Delivery": delivery,
        "X-GitHub-Event": kind,
        "X-Hub-Signature-256": signature(body, secret),
        **headers,
    }
    return await at.client.post("/github", content=body, headers={k: v for k, v in given.items() if v})


async def jobs(at: Endpoint, label: str = "linux.2xlarge") -> list[JobState]:
    return [job.state for job in await StoredJobs(at.store, at.world.clock.now).under(label)]


@pytest.mark.parametrize("secret", [SECRET, SECOND])
async def test_a_job_is_stored_before_github_is_answered(secret: str, at: Endpoint) -> None:
    """Signed with either secret of a rotation."""
    answer = await send(at, event(), secret=secret)
    assert (answer.status_code, answer.json()) == (200, {"outcome": "stored"})
    assert await jobs(at) == [JobState.QUEUED]


async def test_a_redelivery_changes_nothing(at: Endpoint) -> None:
    """GitHub's own id of the delivery, or the same word under another one."""
    outcomes = [(await send(at, event(), delivery=delivery)).json()["outcome"] for delivery in ("d1", "d1", "d2")]
    assert at.world.data.commits == 1
    assert outcomes == ["stored", "repeated", "repeated"]


async def test_the_whole_life_of_a_job_ends_it(at: Endpoint) -> None:
    """Every action that GitHub sends, in order and then all of it again."""
    life = ("waiting", "queued", "in_progress", "completed")
    for number, name in enumerate(life):
        assert (await send(at, event(f"workflow_job_{name}"), delivery=f"d{number}")).json()["outcome"] == "stored"
    assert await jobs(at) == [JobState.COMPLETED]
    again = [(await send(at, event(f"workflow_job_{name}"))).json()["outcome"] for name in life]
    assert again == ["repeated"] * 4


@pytest.mark.parametrize("headers", [{}, {"Authorization": f"Bearer {SECRET}"}])
async def test_anybody_else_gets_401_with_the_same_words(headers: dict[str, str], at: Endpoint) -> None:
    """Before anything is read of what was sent."""
    answer = await send(at, b"{not json", **{"X-Hub-Signature-256": "", **headers})
    assert at.world.data.rows == {}
    assert (answer.status_code, answer.json()) == (401, {"error": REFUSED})


@pytest.mark.parametrize(
    ("body", "kind", "outcome"),
    [
        (event("ping"), "ping", "ping"),
        (event(action="paused", status="asleep"), "workflow_job", "ignored"),
        *((b"not even json", kind, "ignored") for kind in ("push", "workflow_run", "check_run", "x" * 500)),
    ],
)
async def test_what_is_no_news_is_answered_and_not_stored(body: bytes, kind: str, outcome: str, at: Endpoint) -> None:
    """A ping makes the green tick at GitHub. An App may be subscribed to more than Tailback reads."""
    answer = await send(at, body, kind)
    assert at.world.data.rows == {}
    assert (answer.status_code, answer.json()) == (200, {"outcome": outcome})


async def test_an_issue_that_is_an_alert_opens_an_incident(at: Endpoint) -> None:
    """And its redelivery changes nothing; an issue of people is ignored."""
    alert = json.dumps(recorded("RECONSTRUCTED_seed_issue_opened")).encode()
    assert (await send(at, alert, "issues")).json() == {"outcome": "opened"}
    assert (await send(at, alert, "issues")).json() == {"outcome": "repeated"}
    other = json.dumps({"action": "opened", "issue": {"number": 1, "title": "x", "labels": []}}).encode()
    assert (await send(at, other, "issues")).json() == {"outcome": "ignored"}


async def test_an_issue_event_that_cannot_be_read_is_told_once(at: Endpoint) -> None:
    """GitHub does not send it again, and it may have been an alert."""
    assert [(await send(at, b"{", "issues")).status_code for _ in range(2)] == [400, 400]
    await at.world.work()
    (notice,) = at.world.chat.parents()
    assert notice.message.text.startswith("An alert from github at 127.0.0.1 was refused.")


@pytest.mark.parametrize(
    ("body", "headers", "sentence"),
    [
        (b"{", {}, "not JSON"),
        (b"", {}, "empty"),
        (b"[" * 100_000, {}, "lists and objects"),
        (b'{"action": "queued"}', {}, "workflow_job: missing"),
        (event(id=None), {}, "workflow_job.id"),
        (event(), {"X-GitHub-Event": ""}, "X-GitHub-Event"),
        (b"payload=%7B%7D", {"Content-Type": "application/x-www-form-urlencoded"}, "application/json"),
    ],
)
async def test_what_cannot_be_read_gets_400_and_a_sentence(
    body: bytes, headers: dict[str, str], sentence: str, at: Endpoint
) -> None:
    """Nothing crashes, nothing is stored, and GitHub's page shows the sentence."""
    answer = await send(at, body, **headers)
    assert at.world.data.rows == {}
    assert answer.status_code == 400
    assert sentence in answer.json()["error"]


async def test_a_store_that_is_down_gets_503(at: Endpoint) -> None:
    """GitHub shows it as failed, and Redeliver stores it then."""
    at.world.data.broken = Unreachable("Redis", "connection refused")
    answer = await send(at, event())
    assert (answer.status_code, answer.json()) == (503, {"error": "cannot store this now; send it again"})
    at.world.data.broken = None
    assert (await send(at, event())).json() == {"outcome": "stored"}


async def test_every_answer_is_counted_by_a_word_of_few(at: Endpoint) -> None:
    """Whatever a header says, it is no name of its own in Prometheus."""

    def count(kind: str, outcome: str) -> float:
        return REGISTRY.get_sample_value("tailback_github_events_total", {"event": kind, "outcome": outcome}) or 0.0

    labels = [("workflow_job", "stored"), ("workflow_job", "401"), ("other", "ignored")]
    before = [count(*one) for one in labels]
    await send(at, event())
    await send(at, event(), secret="guessed")
    await send(at, event(), "a_word_of_a_stranger")
    assert [count(*one) - was for one, was in zip(labels, before, strict=True)] == [1, 1, 1]
    assert count("a_word_of_a_stranger", "ignored") == 0
