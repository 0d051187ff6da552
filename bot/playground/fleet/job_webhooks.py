"""GitHub's `workflow_job` webhooks of one pool: each job is told when it is queued, when it starts and when it ends."""

import hashlib
import hmac
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from bot.playground.fleet.alerting.sender import Post
from bot.playground.fleet.pool import SimulatedJob, SimulatedPool

MOST_AT_ONCE = 50
"""Webhooks in one round; the rest follows in the next."""


@dataclass(frozen=True, slots=True)
class WebhookTarget:
    """Where GitHub would send: the product's address, and the secret by which it knows the sender."""

    base_url: str
    secret: str


@dataclass(frozen=True, slots=True)
class ToldJob:
    """What was sent of a job."""

    job: SimulatedJob
    action: str


class JobWebhooks:
    """Compares the pool with what was sent, and sends what is new, the oldest job first."""

    def __init__(self, pool: SimulatedPool, target: WebhookTarget, post: Post, began: float) -> None:
        """`began`: epoch seconds of the simulation's second 0."""
        self._pool, self._target, self._post, self._began = pool, target, post, began
        self._sent: dict[int, ToldJob] = {}

    def moved(self, seconds: float) -> None:
        """The simulation's second 0 is later by this."""
        self._began += seconds

    async def send_due(self, now: float) -> None:
        """Send what is new at this second of the simulation; a failed one is tried in the next round."""
        for news in list(self._news())[:MOST_AT_ONCE]:
            body = json.dumps(self._payload(news, now)).encode()
            signature = hmac.new(self._target.secret.encode(), body, hashlib.sha256).hexdigest()
            headers = {
                "Content-Type": "application/json",
                "X-GitHub-Event": "workflow_job",
                "X-GitHub-Delivery": f"{news.job.id}-{news.action}",
                "X-Hub-Signature-256": f"sha256={signature}",
            }
            try:
                status = await self._post(f"{self._target.base_url}/github", headers, body)
            except OSError:
                return
            if not 200 <= status < 300:
                return
            if news.action == "completed":
                del self._sent[news.job.id]
            else:
                self._sent[news.job.id] = news

    def _news(self) -> Iterator[ToldJob]:
        """Every job is queued first, also one that started since the last round."""
        waiting = {job.id: job for job in self._pool.waiting}
        running = {one.job.id: one.job for one in self._pool.runners.values() if one.job is not None}
        for number, last in list(self._sent.items()):
            if number not in waiting and number not in running:
                yield replace(last, action="completed")
            elif number in running and last.action == "queued":
                yield replace(last, action="in_progress")
        for number in sorted((waiting.keys() | running.keys()) - self._sent.keys()):
            yield ToldJob(waiting.get(number) or running[number], "queued")

    def _payload(self, news: ToldJob, now: float) -> Mapping[str, object]:
        job, source = news.job, news.job.source
        started = job.started_at if news.action != "queued" else None
        return {
            "action": news.action,
            "workflow_job": {
                "id": job.id,
                "run_id": job.id // 7,
                "name": "test",
                "workflow_name": source.workflow,
                "html_url": job.url,
                "head_branch": "main",
                "head_sha": hashlib.sha1(str(job.id // 7).encode(), usedforsecurity=False).hexdigest(),
                "labels": [self._pool.spec.name],
                "status": news.action,
                "conclusion": "success" if news.action == "completed" else None,
                "created_at": self._at(job.queued_at),
                "started_at": self._at(job.queued_at if started is None else started),
                "completed_at": self._at(now) if news.action == "completed" else None,
                "runner_name": f"runner-{job.id}" if started is not None else None,
                "steps": [],
            },
            "repository": {"full_name": source.repository, "private": False},
        }

    def _at(self, seconds: float) -> str:
        return datetime.fromtimestamp(self._began + seconds, UTC).isoformat(timespec="seconds")
