"""Files GitHub issues: one per incident, found again by a marker in its text."""

from functools import partial

from bot.adapters.build_context import BuildContext
from bot.adapters.github.api import ANSWERS, GitHubApi
from bot.adapters.github.settings import api_of
from bot.adapters.http.rows import rows
from bot.config import IssuesTable
from bot.core.external import Problem
from bot.core.reporting.issue import FiledIssue
from bot.ports import Failure, Unreachable
from bot.sources.payload import fields

PLACE = "[issues]"
PAGES = 5
"""Most pages of the newest issues that are searched for the marker, 100 issues each."""


class GitHubIssues:
    """The port `IssueTracker`."""

    def __init__(self, api: GitHubApi, repository: str) -> None:
        self._api, self.repository = api, repository
        self._path = f"/repos/{repository}/issues"

    async def find(self, marker: str, since: str) -> FiledIssue | None:
        """The oldest of our issues with this marker; lists, unlike searches, have an issue at once."""
        found = None
        newest = {"state": "all", "sort": "created", "direction": "desc", "since": since, "per_page": "100"}
        for page in range(1, PAGES + 1):
            body = (await self._api.get(self._path, {**newest, "page": f"{page}"})).body
            if not isinstance(body, list):
                raise self._api.problem("its list of issues is not a list")
            for one in body:
                if str(fields(one).get("body") or "").rstrip().endswith(marker):
                    found = self._issue(one)
            if len(body) < 100:
                break
        return found

    async def create(self, title: str, text: str, labels: tuple[str, ...]) -> FiledIssue:
        """Create an issue. Raises Unreachable(UNKNOWN) if GitHub may have created it all the same."""
        answer = await self._api.send("POST", self._path, {"title": title, "body": text, "labels": list(labels)})
        if not answer.ok:
            raise self._api.problem(f"answered HTTP {answer.status} for {self._path}: {answer.text}")
        return self._issue(answer.body)

    async def lacking(self) -> tuple[Problem, ...] | None:
        """Why issues cannot be filed; None if only a real one would tell."""
        try:
            body = (await self._api.get(f"/repos/{self.repository}", {})).body
        except Unreachable as error:
            return (Problem(f"{error.system}: {error.what}", error.remedy),)
        if isinstance(body, dict) and body.get("has_issues") is False:
            return (Problem(f"{self.repository} has no issues", "switch them on in its settings"),)
        return None

    def _issue(self, body: object) -> FiledIssue:
        raw = fields(body)
        number, url = raw.get("number"), raw.get("html_url")
        if not isinstance(number, int) or not isinstance(url, str):
            raise self._api.problem("its answer names no issue", Failure.UNKNOWN)
        names = tuple(str(one.get("name")) for one in rows(raw.get("labels")))
        return FiledIssue(f"{self.repository}#{number}", url, names)


def build(table: IssuesTable, context: BuildContext) -> GitHubIssues:
    """The issues of a repository, from their table. Raises ConfigError."""
    http = partial(context.http, "GitHub", PLACE, table, table.url, answers=ANSWERS)
    return GitHubIssues(api_of(table, PLACE, partial(context.token, PLACE), http, context.now), table.repository)
