"""A GitHub App: its key becomes a token of an hour, which is kept, renewed in time, and dropped when it is refused."""

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from bot.adapters.github.auth import private_key
from bot.config import ConfigError
from bot.ports import Failure, Unreachable
from tests.adapters.github.standin import LABEL, ORG, REPO, GitHubStandIn
from tests.adapters.github.world import world
from tests.builders import NOW, gaps

APP: dict[str, object] = {
    "organizations": [ORG],
    "repositories": [REPO],
    "app_id": 4242,
    "private_key_env": "APP_KEY",
    "installation_id": 77,
}
TOKENS = "/app/installations/77/access_tokens"


async def test_a_token_is_kept_until_five_minutes_before_its_end() -> None:
    async with world(APP) as w:
        w.github.runner(LABEL)
        assert (await w.look()).idle == 1
        await w.later(3290)
        assert w.github.calls().count(TOKENS) == 1
        assert (await w.later(30)).idle == 1
        assert w.github.calls().count(TOKENS) == 2


async def test_a_token_that_was_revoked_is_asked_for_anew() -> None:
    """401 in the middle of its hour: what is asked next has another one."""
    async with world(APP) as w:
        w.github.runner(LABEL)
        await w.look()
        w.github.tokens.clear()
        found = await w.later(60)
        after = await w.later()
    assert "check that the App is still installed" in gaps(found)[-1]
    assert (found.idle, found.queued, after.idle, after.queued) == (None, 0, 1, 0)


@pytest.mark.parametrize(
    ("wrong", "status", "why", "failure"),
    [
        ({"app_id": 1}, 0, "does not accept the App 1 (HTTP 401: Integration not found); check app_id", "CREDENTIALS"),
        ({"installation_id": 5}, 0, "the App 4242 has no installation 5 (HTTP 404: Not Found); correct", "SHAPE"),
        ({}, 403, "the App may not act (HTTP 403: no); let an owner of the organisation lift", "CREDENTIALS"),
        ({}, 422, "gave the App no token (HTTP 422: no); look at the App's settings", "SHAPE"),
    ],
)
async def test_an_app_that_gets_no_token_says_why(
    wrong: dict[str, object], status: int, why: str, failure: str
) -> None:
    async with world({**APP, **wrong}) as w:
        w.github.says = [(status, {}, "no")] * 9 if status else []
        with pytest.raises(Unreachable) as caught:
            await w.look()
    assert caught.value.reason.startswith(why)
    assert caught.value.failure is Failure[failure]


def test_a_key_may_have_its_line_breaks_written_out() -> None:
    pem = GitHubStandIn(NOW).pem
    assert private_key("p", "V", pem.replace("\n", "\\n")).key_size == 2048


def elliptic() -> str:
    key = ec.generate_private_key(ec.SECP256R1())
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("MIIEpAIBAAKCAQEA", "APP_KEY does not hold a private key (PEM); put the whole .pem file into it"),
        ("-----BEGIN RSA PRIVATE KEY-----\nx\n-----END RSA PRIVATE KEY-----", "does not hold a private key (PEM)"),
        (elliptic(), "APP_KEY holds a key that is not RSA"),
    ],
)
def test_what_is_no_key_is_refused_before_anything_is_asked(text: str, why: str) -> None:
    """The sentence names the variable and never repeats what it holds."""
    with pytest.raises(ConfigError) as caught:
        private_key("[metrics.main]", "APP_KEY", text)
    sentence = str(caught.value)
    assert why in sentence
    assert sentence.startswith("[metrics.main]: private_key_env: ")
    assert text not in sentence
