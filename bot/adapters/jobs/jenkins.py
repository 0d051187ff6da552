"""Builds of Jenkins by the addresses of its pages: a build, a job with its newest build, an item of the queue."""

import re
from collections.abc import Callable
from urllib.parse import quote

from bot.adapters.http.client import Http
from bot.adapters.http.rows import Row, document, inner, link, number, text
from bot.adapters.jobs.finder import jobs_or_none, path_under
from bot.core.jobs.answer import JobStanding
from bot.core.jobs.found import FoundJob, FoundJobs, Unfound

PAGE = re.compile(
    r"(?:/(?:view/[^/]+/)*(?P<job>job/[^/]+(?:/job/[^/]+)*)(?:/(?P<build>\d{1,10}))?"
    r"|(?P<item>/queue/item/\d{1,10}))(?:/.*)?"
)
BUILD = "number,url,fullDisplayName,building,result,timestamp,duration"
TASK = "task[name,fullDisplayName,url,labelExpression]"
ITEM = f"id,why,inQueueSince,buildable,cancelled,{TASK},executable[number,url]"
LATEST = f"inQueue,queueItem[{ITEM}],lastBuild[{BUILD}]"
ENGLISH = {"Accept-Language": "en"}


class JenkinsFinder:
    """Asks for a build by one call to its own address."""

    def __init__(self, http: Http, url: str, name: str, now: Callable[[], float]) -> None:
        self._http, self._url, self._name, self._now = http, url, name, now

    async def find(self, url: str) -> FoundJobs | None:
        """The build of a page, or what waits in the queue; None for a page of another system. Raises Unreachable."""
        found = PAGE.fullmatch(path_under(url, self._url) or "")
        if found is None:
            return None
        place = found["item"] or f"/{quote(found['job'])}" + (f"/{found['build']}" if found["build"] else "")
        tree = ITEM if found["item"] else BUILD if found["build"] else LATEST
        answer = await self._http.get(f"{place}/api/json", {"tree": tree}, ENGLISH)
        if answer.status == 404:
            return FoundJobs(reason=Unfound.NOT_FOUND)
        row = document(self._http, answer, place)
        if found["item"]:
            return jobs_or_none([self._item(row)])
        if found["build"]:
            return jobs_or_none([self._build(row)])
        last, item = inner(row, "lastBuild"), inner(row, "queueItem")
        return jobs_or_none([*([self._item(item)] if item else []), *([self._build(last)] if last else [])])

    def _item(self, row: Row) -> FoundJob:
        """What stands in the queue; an item that has left it runs, and its build knows more."""
        task, begun, gone = inner(row, "task"), inner(row, "executable"), row.get("cancelled") is True
        waits = JobStanding.WAITING if row.get("buildable") is True else JobStanding.HELD
        state = JobStanding.ENDED if gone else JobStanding.RUNNING if begun else waits
        since = number(row, "inQueueSince")
        return FoundJob(
            link(begun, "url") or link(task, "url"),
            str(row.get("id", "")),
            text(task, "fullDisplayName") or text(task, "name") or "unnamed job",
            state,
            self._now(),
            labels=tuple(filter(None, [text(task, "labelExpression")])),
            queued_at=None if since is None else since / 1000,
            conclusion="cancelled" if gone else "",
            source=self._name,
        )

    def _build(self, row: Row) -> FoundJob:
        began, took = number(row, "timestamp"), number(row, "duration")
        started = None if began is None else began / 1000
        runs = row.get("building") is True
        ended = None if runs or started is None or took is None else started + took / 1000
        return FoundJob(
            link(row, "url"),
            str(row.get("number", "")),
            text(row, "fullDisplayName") or "unnamed build",
            JobStanding.RUNNING if runs else JobStanding.ENDED,
            self._now(),
            started_at=started,
            ended_at=ended,
            conclusion="" if runs else text(row, "result").lower(),
            source=self._name,
        )
