"""Refusals of the API, as problem documents (RFC 9457)."""

from collections.abc import Mapping
from http import HTTPStatus

from pydantic_core import to_json
from starlette.responses import Response

from handlers.api.documents import ProblemDocument


class ApiRefused(Exception):  # noqa: N818 - a refusal is an answer
    """A request was refused; `detail` is the sentence for the client."""

    def __init__(self, status: int, detail: str, *, retry_after: float = 0.0, allow: str = "") -> None:
        super().__init__(detail)
        self.status, self.detail, self.retry_after, self.allow = status, detail, retry_after, allow

    @property
    def headers(self) -> Mapping[str, str]:
        found = {"WWW-Authenticate": 'Bearer realm="tailback"'} if self.status == HTTPStatus.UNAUTHORIZED else {}
        if self.retry_after:
            found["Retry-After"] = str(max(1, -int(-self.retry_after // 1)))
        return {**found, **({"Allow": self.allow} if self.allow else {})}

    def answer(self) -> Response:
        document = ProblemDocument("about:blank", HTTPStatus(self.status).phrase, self.status, self.detail)
        return Response(to_json(document), self.status, self.headers, "application/problem+json")


def no_such(what: str) -> ApiRefused:
    """Unknown, or of a private channel that the token does not name: the answer never tells which."""
    return ApiRefused(404, f"There is no such {what}, or your token may not read it.")
