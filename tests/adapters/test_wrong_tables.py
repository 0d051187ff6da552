"""A mistake in the table of a source, scaler or Alertmanager is named with its place, its key and what to write."""

import pytest

from bot.adapters.registry import ALERTMANAGERS, METRICS, SCALERS
from bot.config import ConfigError
from tests.adapters.back_end import URL, BackEnd
from tests.adapters.test_source import KINDS

PLACE = "[the.table]"
FINE: dict[str, dict[str, object]] = {
    "arc": {"namespace": "arc-runners", "name": "linux-2xlarge", "token_env": "T", "max": 50},
    "aws_asg": {"group": "ci-linux", "region": "us-east-1", "max": 50},
    "command": {"read": ["/bin/fleet"], "set": ["/bin/fleet", "{target}"], "max": 50},
    "github_aws_runners": {
        "queue_url": "https://sqs.test/1/linux", "region": "us-east-1", "tags": {"a": "b"}, "max": 50
    },
    "github_file": {"repository": "a/b", "file": "x", "pattern": "(x)", "token_env": "T", "max": 50},
    "http": {"url": URL, "max": 40},
    "kubernetes": {"namespace": "ci", "name": "runners", "token_env": "T", "max": 50},
    "none": {},
    "alertmanager": {"url": URL},
    "grafana": {"url": URL, "token_env": "T"},
}  # fmt: skip
PATTERN = ": has the wrong form; it must match the pattern ^"
WRONG: dict[str, list[tuple[dict[str, object], str]]] = {
    "arc": [({"lever": "both"}, "lever: ")],
    "aws_asg": [
        ({"group": ""}, "group: "),
        ({"region": None}, "region: is required"),
        ({"endpoint_url": "http://key:secret@x.test"}, "endpoint_url: must not carry a name and password"),
    ],
    "command": [
        ({"read": ["fleet", "size"]}, "read: the program needs its whole path"),
        ({"set": ["/bin/fleet", "resize"]}, 'set: needs "{target}" as one of its arguments'),
        ({"set": ["/bin/fleet", "--to={target}"]}, "set: {target}, {pool} and {act} stand alone as whole arguments"),
        ({"set": ["/bin/fleet", "{target}", "{size}"]}, "set: {target}, {pool} and {act} stand alone"),
        ({"read": ["/bin/fleet", "{target}"]}, "read: has no target and no act"),
        ({"read": []}, "read: "),
        ({"timeout": "20s"}, 'timeout: must be above 0 and at most "9s"'),
        ({"environment": ["NOPE"]}, "environment: NOPE"),
    ],
    "github_aws_runners": [
        ({"tags": {}}, "tags: "),
        ({"format": "philips"}, "format: "),
        ({"lease": "2h"}, "lease: these runners end by themselves and cannot be returned; leave it out"),
        ({"queue_url": "linux"}, "queue_url: "),
    ],
    "github_file": [
        ({"repository": "b"}, "repository: 'b' is not a repository"),
        ({"pattern": "x"}, "pattern: needs exactly one group"),
        ({"by": "push"}, "by: "),
        ({"pattern": "("}, "is not a regular expression"),
        ({"token_env": ""}, "has no complete credentials"),
        ({"app_id": "1"}, "token_env and app_id exclude each other"),
        ({"file": "/etc/passwd"}, "file: "),
    ],
    "http": [
        ({"max": None}, "max: is required"),
        ({"max": 0}, "max: "),
        ({"step": 0}, "step: "),
        ({"cooldown": "10"}, "cooldown: '10' is not a duration; write for example \"90s\""),
        ({"token_env": "NOPE"}, "token_env: NOPE"),
        ({"cost_per_runner_hour": float("nan")}, "cost_per_runner_hour: "),
    ],
    "kubernetes": [
        ({"name": "../secrets"}, f"name{PATTERN}"),
        ({"namespace": "a/b"}, f"namespace{PATTERN}"),
        ({"group": "x/y"}, f"group{PATTERN}"),
        ({"resource": ""}, f"resource{PATTERN}"),
        ({"field": "spec..x"}, "field: must be keys with dots between them"),
        ({"max_field": "spec.most"}, "need field; add it"),
        ({"namespace": ""}, "everything with a scale subresource has a namespace; add namespace"),
    ],
    "none": [({"howw": "x"}, "howw: there is no such setting")],
    "alertmanager": [
        ({"url": "localhost:9093"}, "url: needs http"),
        ({"max_silence": "1 dya"}, "max_silence: '1 dya' is not a duration"),
        ({"token_env": "A", "basic_env": "B"}, "exclude each other"),
        ({"headers": {"Cookie": "x"}}, "headers: credentials are not written here; name their variable"),
    ],
    "grafana": [
        ({"token_env": None}, "token_env: is required"),
        ({"token_env": "NOPE"}, "token_env: NOPE"),
        ({"org_id": "x"}, "org_id: "),
    ],
}

SOURCES: dict[str, list[tuple[dict[str, object], dict[str, object], str]]] = {
    "github": [
        ({"organizations": []}, {}, 'names nothing to read; add organizations = ["NAME"] or repositories'),
        ({"organizations": [], "enterprises": ["c"]}, {}, "enterprises have runners and no queues; add organizations"),
        ({"enterprises": ["a/b"]}, {}, "enterprises: 'a/b' is not the name of an organisation"),
        ({"token_env": ""}, {}, "has no complete credentials; add token_env, or for a GitHub App: app_id, private_key"),
        ({"token_env": "", "app_id": 1}, {}, "or for a GitHub App: private_key_env, installation_id"),
        ({"app_id": 1}, {}, "token_env and app_id exclude each other; keep a token or an App"),
        ({"token_env": "MISSING"}, {}, f"{PLACE}: token_env: MISSING"),
        ({"repositories": ["engine"]}, {}, "repositories no. 1: 'engine' is not a repository; write \"owner/name\""),
        ({"repositories": ["a/.."]}, {}, "'a/..' is not a repository"),
        ({"organizations": ["a/b"]}, {}, "organizations: 'a/b' is not the name of an organisation"),
        ({"budget": 1}, {}, "budget: "),
        ({"token_env": "", "app_id": 1, "installation_id": 2, "private_key_env": "T"}, {}, "T does not hold a private"),
        ({"budget": 0}, {"label": "a", "labels": ["b"]}, '[pool."linux"]: label and labels exclude each other'),
        ({"organizations": [], "repositories": ["a/b"]}, {"runner_group": "g"}, "only organisations have groups; name"),
    ],
    "hud": [
        ({"url": "hud"}, {}, f"{PLACE}: url: needs http:// or https://"),
        ({"token_env": "NOPE"}, {}, f"{PLACE}: token_env: NOPE: not set"),
        ({"organizations": []}, {}, f"{PLACE}: organizations: has too few entries; write 1 or more"),
        ({"organizations": ["a/../b"]}, {}, f"{PLACE}: organizations no. 1{PATTERN}"),
    ],
    "jenkins": [
        ({"basic_env": "NOPE"}, {}, f"{PLACE}: basic_env: NOPE: not set"),
        ({"basic_env": "T"}, {}, f"{PLACE}: basic_env: T must hold user:token"),
    ],
    "gitlab": [
        ({"token_env": "NOPE"}, {}, f"{PLACE}: token_env: NOPE: not set"),
        ({"projects": []}, {}, f"{PLACE}: projects: has too few entries; write 1 or more"),
        ({}, {"slots": 0}, '[pool."linux"]: slots: '),
    ],
    "buildkite": [
        ({"token_env": "NOPE"}, {}, f"{PLACE}: token_env: NOPE: not set"),
        ({"api_token_env": "NOPE"}, {}, f"{PLACE}: api_token_env: NOPE: not set"),
        ({"every": 5}, {}, f"{PLACE}: every: 5 is not a duration"),
    ],
    "cloudwatch": [
        ({}, {"preset": "pytorch", "prefix": "x", "organization": ""}, "the preset needs organization"),
        ({}, {"preset": "github_aws_runners", "prefix": ""}, "the preset needs prefix"),
        ({}, {"custom": {"qeued": {"namespace": "a", "name": "b"}}}, "custom: there is no figure named qeued"),
        ({}, {"preset": None}, "has no figures; add preset, queue, function or custom"),
    ],
    "prometheus": [
        ({"token_env": "NOPE"}, {}, f"{PLACE}: token_env: NOPE: not set"),
        ({"token_env": "T", "basic_env": "T"}, {}, "exclude each other"),
        ({"headers": {"Authorization": "Bearer hunter22"}}, {}, "token_env or basic_env"),
        ({}, {"preset": "jenkins"}, '[pool."linux"]: preset: '),
        ({}, {"preset": None}, '[pool."linux"]: has no figures'),
    ],
}
"""Kind: what is wrong in its table, in a pool's keys, and the words for it."""


@pytest.mark.parametrize(
    ("kind", "more", "keys", "words"), [(kind, *row) for kind, rows in SOURCES.items() for row in rows]
)
def test_a_mistake_of_a_source_is_named_with_its_place(
    kind: str, more: dict[str, object], keys: dict[str, object], words: str
) -> None:
    table, fine = KINDS[kind]
    with pytest.raises(ConfigError) as caught:
        METRICS[kind](
            "m", PLACE, {"kind": kind, **table, **more}, {"linux": {**fine, **keys}}, BackEnd().parts(T="a-token")
        )
    assert any(words in str(problem) for problem in caught.value.problems), caught.value.problems
    assert not {"hunter22", "a-token"} & set(str(caught.value).split())


def problems(kind: str, more: dict[str, object]) -> list[str]:
    """What is wrong with the table of this kind; a key that is None is left out."""
    table = {key: value for key, value in {"kind": kind, **FINE[kind], **more}.items() if value is not None}
    parts = BackEnd().parts(T="a-token")
    try:
        if kind in SCALERS:
            SCALERS[kind]("linux", PLACE, table, parts)
        else:
            ALERTMANAGERS[kind]("main", PLACE, table, parts)
    except ConfigError as error:
        return str(error).splitlines()
    return []


@pytest.mark.parametrize(("kind", "more", "words"), [(kind, *row) for kind, rows in WRONG.items() for row in rows])
def test_a_mistake_is_named_with_its_place(kind: str, more: dict[str, object], words: str) -> None:
    found = problems(kind, more)
    assert [one for one in found if one.startswith(PLACE) and words in one], found


def test_every_kind_has_its_mistakes_and_a_fine_table() -> None:
    assert FINE.keys() == WRONG.keys() == {*SCALERS, *ALERTMANAGERS}
    assert {kind: found for kind in FINE if (found := problems(kind, {}))} == {}
