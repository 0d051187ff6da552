"""All back ends of a file, built at once, with every problem of every table in one error."""

from dataclasses import replace
from pathlib import Path

import pytest

from bot.adapters.http.client import HttpPool
from bot.adapters.integrations import BackEnds, build, kind_of
from bot.config import ConfigError, load, unusable
from bot.core.paging.page import OUTSIDE
from bot.core.scaling.limits import ScalePolicy
from bot.ports import Capacity
from tests.adapters.back_end import BackEnd

WHOLE = """
[outside_slack]
url_env = "PAGER"

[alertmanager.grafana]
kind = "grafana"
url = "https://example.grafana.test"
token_env = "GRAFANA_TOKEN"
max_silence = "12h"

[alertmanager.main]
kind = "alertmanager"
url = "http://alertmanager.test"

[metrics.prometheus]
kind = "prometheus"
url = "http://prometheus.test"

[pool."linux.2xlarge"]
metrics = "prometheus"
preset = "arc"
queued = 'sum(ci_jobs_queued{pool="linux.2xlarge"})'

[pool."linux.2xlarge".scaler]
kind = "http"
url = "http://scaler.test/pools/linux.2xlarge"
max = 40
step = 10

[pool.macos]
metrics = "prometheus"
preset = "ci"

[pool.macos.scaler]
kind = "none"
how = "Ask #infra."

[pool.unmeasured]
match = { runner_label = "x" }
"""
WRONG = """
[outside_slack]
url_env = "PAGER_MISSING"

[alertmanager.a]
kind = "opsgenie"
url = "https://x.test"

[alertmanager.b]
url = "https://x.test"

[alertmanager.c]
kind = "grafana"
url = "x.test"
token_env = "TOKEN_MISSING"

[metrics.m]
kind = "promotheus"

[metrics.p]
kind = "prometheus"
url = "http://p.test"
token_env = "P_MISSING"

[pool.a]
metrics = "graphite"

[pool.b]
preset = "ci"

[pool.c]
metrics = "p"
qeued = "x"

[pool.d.scaler]
kind = "htttp"

[pool.e.scaler]
kind = "http"
url = "http://s.test"
"""


def built(folder: Path, text: str, wire: HttpPool | None = None, **variables: str) -> BackEnds:
    path = folder / "tailback.toml"
    path.write_text(text)
    return build(load({"TAILBACK_CONFIG": str(path), **variables}), lambda: 1_700_000_000.0, wire)


def test_a_missing_library_is_told_with_the_table_that_needs_it() -> None:
    """Sixty tables of one kind are easier to mend when one is named."""

    class Poor(dict[str, object]):
        def get(self, word: str, default: object = None) -> object:
            raise unusable("", f'kind "{word}" needs boto3, which is not installed', "run `./tailback setup aws`")

    with pytest.raises(ConfigError) as caught:
        kind_of('[pool."linux".scaler]', {"kind": "aws_asg"}, Poor())
    assert str(caught.value).startswith('[pool."linux".scaler]: kind "aws_asg" needs boto3')


async def test_every_table_becomes_its_back_end(tmp_path: Path) -> None:
    """Pools know their source and scaler by name; a pool without either is fine."""
    back = BackEnd().says(200, {"current": 10})
    found = built(tmp_path, WHOLE, back.wire(), PAGER="https://pager.test/x", GRAFANA_TOKEN="glsa_1")
    assert set(found.metrics) == {"linux.2xlarge", "macos"}
    assert found.metrics["macos"] is found.metrics["linux.2xlarge"]
    scaler, policy = found.pool_scalers["linux.2xlarge"]
    assert replace(policy, target="") == ScalePolicy(maximum=40, step=10)
    assert "http://scaler.test/pools/linux.2xlarge" in policy.target
    assert await scaler.read() == Capacity(10)
    assert await found.pool_scalers["macos"][0].read() == Capacity(None)
    assert {name: (am.kind, am.max_silence_seconds) for name, am in found.alertmanagers.items()} == {
        "grafana": ("grafana", 43200.0),
        "main": ("alertmanager", 86400.0),
    }
    assert OUTSIDE in found.pagers
    assert "glsa_1" not in repr(found)
    await found.close()


async def test_a_file_without_back_ends_has_none(tmp_path: Path) -> None:
    found = built(tmp_path, "")
    assert (found.metrics, found.pool_scalers, found.alertmanagers, found.pagers) == ({}, {}, {}, {})
    await found.close()


@pytest.mark.parametrize(
    "begin",
    [
        "[outside_slack]: url_env: PAGER_MISSING",
        '[alertmanager.a]: kind: there is no kind of that name; known kinds: "alertmanager" and "grafana"',
        '[alertmanager.b]: kind: is required; known kinds: "alertmanager" and "grafana"',
        "[alertmanager.c]: url: needs http:// or https://",
        '[metrics.m]: kind: there is no kind of that name; known kinds: "prometheus"',
        "[metrics.p]: token_env: P_MISSING",
        '[pool."a"]: metrics: there is no source "graphite"; known sources: "m" and "p"',
        '[pool."b"]: has keys for a metrics source (preset) but names none; name one: "m" and "p"',
        '[pool."c"]: qeued: there is no such setting',
        '[pool."d".scaler]: kind: there is no kind of that name; known kinds: "arc", "aws_asg", "command", ',
        '[pool."e".scaler]: max: is required',
    ],
)
def test_every_problem_of_every_table_is_said_at_once(begin: str, tmp_path: Path) -> None:
    """Each with its place and remedy; one restart mends them all."""
    with pytest.raises(ConfigError) as caught:
        built(tmp_path, WRONG)
    assert any(str(problem).startswith(begin) for problem in caught.value.problems), caught.value.problems
    assert len(caught.value.problems) == 11
