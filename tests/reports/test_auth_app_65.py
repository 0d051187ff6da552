"""octokit/auth-app.js#65: for some seconds GitHub refuses the token that it has just given to an App (HTTP 401)."""

import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from bot.core.incident.incident import State
from tests.adapters.github.standin import LABEL, ORG, REPO, GitHubStandIn
from tests.reports import fleet as fleets


async def test_a_new_token_costs_a_look_and_is_not_thrown_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """GitHub knows it five seconds later; asking for another one each time would never get further."""
    fleet = fleets.Fleet()
    github, since = GitHubStandIn(fleet.clock.now()), dict[str, float]()

    async def endpoint(request: Request) -> Response:
        bearer, now = request.headers.get("authorization", ""), fleet.clock.now()
        if request.url.path.startswith("/app/") or now - since.setdefault(bearer, now) >= 5:
            return await github._answer(request)
        return JSONResponse({"message": "Bad credentials"}, 401)

    monkeypatch.setitem(fleets.SECRETS, "APP_KEY", github.pem)
    fleet.follows.append(lambda now: setattr(github, "now", now))
    app = {"app_id": "4242", "installation_id": 77, "private_key_env": "APP_KEY"}
    fleet.add("github", endpoint, {"label": LABEL, "limit": 40}, organizations=[ORG], repositories=[REPO], **app)
    github.runner(LABEL, busy=True)
    github.job(github.run(1, age=1200), 11, age=1200)
    await fleet.fires()
    await fleet.resolves(60)
    given = len(github.tokens) - 1
    assert (fleet.now.queued, fleet.now.busy, fleet.state, given) == (1, 1, State.EASING, 2)
