"""open-telemetry/opentelemetry-java-instrumentation#18649: 502 for a hundred jobs a page, not for thirty."""

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response

from tests.adapters.github.standin import LABEL, ORG, REPO, GitHubStandIn
from tests.reports.fleet import Fleet


def refusing(github: GitHubStandIn) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        if request.url.path.endswith("/jobs") and int(request.query_params["per_page"]) > 30:
            return Response(status_code=502)
        return await github._answer(request)

    return endpoint


async def test_what_one_run_taught_holds_for_the_next_ones() -> None:
    """The size of a page is found within three minutes, and no later run makes the queue unknown again."""
    fleet = Fleet()
    github = GitHubStandIn(fleet.clock.now())
    fleet.follows.append(lambda now: setattr(github, "now", now))
    names = {"organizations": [ORG], "repositories": [REPO], "token_env": "GITHUB_TOKEN"}
    fleet.add("github", refusing(github), {"label": LABEL, "limit": 40}, **names)
    run = github.run(1, age=1200)
    for number in range(88):
        github.job(run, 100 + number, age=1200)
    await fleet.fires()
    await fleet.passes(3)
    first = fleet.now.queued
    github.job(github.run(2, age=60), 300, age=60)
    await fleet.passes(1)
    assert (first, fleet.now.queued) == (88, 89)
