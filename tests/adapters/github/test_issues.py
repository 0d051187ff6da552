"""GitHub issues over the REST API: found by their marker, created once, refusals with their remedy."""

from typing import Any

import pytest

from bot.adapters.github.issues import build
from bot.config import IssuesTable
from bot.core.reporting.issue import FiledIssue
from bot.ports import Failure, Rehearsed, Unreachable
from tests.adapters.back_end import BackEnd, SentRequest

TABLE: dict[str, Any] = {"repository": "o/r", "token_env": "TOKEN"}
MARK = "<!-- tailback incident i1 -->"
SINCE = "2025-12-01T02:23:00Z"


def issue(number: int, body: str | None, *labels: str) -> dict[str, object]:
    url = f"https://github.com/o/r/issues/{number}"
    return {"number": number, "html_url": url, "body": body, "labels": [{"name": name} for name in labels]}


FILED = FiledIssue("o/r#7", "https://github.com/o/r/issues/7", ("ci: sev",))


async def test_an_issue_is_created_with_title_text_and_labels() -> None:
    back = BackEnd().says(201, issue(7, "text", "ci: sev"))
    made = await build(IssuesTable(**TABLE), back.parts(TOKEN="ghs_1")).create("title", "text", ("ci: sev",))
    assert made == FILED
    (request,) = back.requests
    assert (request.method, request.path) == ("POST", "/repos/o/r/issues")
    assert request.body == {"title": "title", "body": "text", "labels": ["ci: sev"]}
    assert request.headers["authorization"] == "Bearer ghs_1"


async def test_it_is_found_by_the_end_of_its_text_on_any_page() -> None:
    """The marker inside another text, or an issue without text, is none of ours; of two the older counts."""
    first = [issue(200 - number, None) for number in range(98)]
    quoting = [issue(90, f"{MARK} is quoted here"), issue(9, f"later\n{MARK}", "ci: sev")]
    second = [issue(7, f"text\n{MARK}\n", "ci: sev")]

    def answer(request: SentRequest) -> tuple[int, object]:
        return 200, first + quoting if request.query["page"] == "1" else second

    back = BackEnd(answer=answer)
    tracker = build(IssuesTable(**TABLE), back.parts(TOKEN="t"))
    assert await tracker.find(MARK, SINCE) == FILED
    assert {one.query["since"] for one in back.requests} == {SINCE}
    assert await tracker.find(MARK.replace("i1", "i2"), SINCE) is None


@pytest.mark.parametrize(
    ("status", "body", "failure", "words"),
    [
        (401, {"message": "Bad credentials"}, Failure.CREDENTIALS, "TOKEN"),
        (403, {"message": "Resource not accessible by personal access token"}, Failure.CREDENTIALS, "permission"),
        (404, {"message": "Not Found"}, Failure.SHAPE, "404"),
        (410, {"message": "Issues are disabled for this repo"}, Failure.SHAPE, "410"),
        (422, {"message": "Validation Failed"}, Failure.SHAPE, "Validation Failed"),
        (502, {}, Failure.UNKNOWN, "502"),
        (201, {"number": "7"}, Failure.UNKNOWN, "names no issue"),
    ],
)
async def test_a_refusal_is_classified(status: int, body: object, failure: Failure, words: str) -> None:
    tracker = build(IssuesTable(**TABLE), BackEnd().says(status, body).parts(TOKEN="t"))
    with pytest.raises(Unreachable, match=words) as caught:
        await tracker.create("t", "b", ())
    assert caught.value.failure is failure


async def test_a_list_that_is_none_is_no_answer() -> None:
    tracker = build(IssuesTable(**TABLE), BackEnd().says(200, {"items": []}).parts(TOKEN="t"))
    with pytest.raises(Unreachable, match="not a list"):
        await tracker.find(MARK, SINCE)


@pytest.mark.parametrize(
    ("status", "body", "wrong"),
    [
        (200, {"has_issues": True}, None),
        (200, {"has_issues": False}, "has no issues"),
        (404, {"message": "Not Found"}, "404"),
    ],
)
async def test_the_check_reads_and_files_nothing(status: int, body: object, wrong: str | None) -> None:
    """Whether issues may be written only a real one would tell."""
    back = BackEnd().says(status, body)
    tracker = build(IssuesTable(**TABLE), back.parts(TOKEN="t"))
    assert isinstance(tracker, Rehearsed)
    problems = await tracker.lacking()
    assert problems is None if wrong is None else wrong in (problems or ())[0].what
    assert {one.method for one in back.requests} == {"GET"}


@pytest.mark.parametrize(
    "keys", [{}, {"token_env": "TOKEN", "app_id": 1, "private_key_env": "KEY", "installation_id": 2}, {"app_id": 1}]
)
def test_it_needs_a_token_or_a_whole_app(keys: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"token_env and|has no complete"):
        IssuesTable(repository="o/r", **keys)


def test_a_repository_has_an_owner() -> None:
    with pytest.raises(ValueError, match="pattern"):
        IssuesTable(repository="r")
