"""The settings of a GitHub source: what is wrong with them, all at once, with the remedy."""

import pytest

from bot.adapters.github.settings import GitHubPool
from bot.adapters.metrics.github import build
from bot.config import ConfigError
from tests.adapters.back_end import BackEnd

GOOD: dict[str, object] = {"kind": "github", "organizations": ["example-org"], "token_env": "T"}


def problems(table: dict[str, object], **pool: object) -> str:
    with pytest.raises(ConfigError) as caught:
        build("main", "[metrics.main]", table, {"linux": pool}, BackEnd().parts(T="secret-token", K="no key"))
    return "\n".join(caught.value.problems)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"organizations": []}, 'names nothing to look at; add organizations = ["NAME"] or repositories'),
        (
            {"organizations": [], "enterprises": ["big-corp"]},
            "enterprises have runners and no queues; add organizations",
        ),
        ({"enterprises": ["a/b"]}, "enterprises: 'a/b' is not the name of an organisation"),
        ({"token_env": ""}, "has no complete credentials; add token_env, or for a GitHub App: app_id, private_key_env"),
        ({"token_env": "", "app_id": 1}, "or for a GitHub App: private_key_env, installation_id"),
        ({"app_id": 1}, "token_env and app_id exclude each other; keep a token or an App"),
        ({"token_env": "MISSING"}, "[metrics.main]: token_env: MISSING"),
        ({"repositories": ["engine"]}, "repositories no. 1: 'engine' is not a repository; write \"owner/name\""),
        ({"repositories": ["a/.."]}, "'a/..' is not a repository"),
        ({"organizations": ["a/b"]}, "organizations: 'a/b' is not the name of an organisation"),
        ({"url": "api.github.com"}, "url: needs http:// or https://"),
        ({"budget": 1}, "budget: "),
        ({"nope": 1}, "nope: there is no such setting"),
        ({"token_env": "", "app_id": 1, "installation_id": 2, "private_key_env": "K"}, "K does not hold a private key"),
    ],
)
def test_a_wrong_table_is_refused(change: dict[str, object], said: str) -> None:
    assert said in problems({**GOOD, **change})


def test_wrong_keys_of_a_pool_are_refused_together_with_the_table() -> None:
    said = problems({**GOOD, "budget": 0}, label="a", labels=["b"])
    assert "budget" in said
    assert '[pool."linux"]: table: label and labels exclude each other; keep one' in said
    alone = {**GOOD, "organizations": [], "repositories": ["a/b"]}
    assert "only organisations have groups; name one in organizations" in problems(alone, runner_group="g")


@pytest.mark.parametrize(
    ("keys", "asked"),
    [
        ({}, ("linux",)),
        ({"label": "linux.2xlarge"}, ("linux.2xlarge",)),
        ({"labels": ["self-hosted", "Linux", "gpu"]}, ("gpu", "self-hosted", "Linux")),
    ],
)
def test_the_label_that_tells_a_pool_apart_comes_first(keys: dict[str, object], asked: tuple[str, ...]) -> None:
    """Webhooks are looked up by it; the pool's name is the label when none is written."""
    assert GitHubPool.model_validate(keys).asked("linux") == asked
