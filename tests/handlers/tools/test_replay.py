"""A recording goes through the real stories, and the same recording always gives the same transcript."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bot.config import ConfigError
from bot.ports import Refused
from handlers.tools.replay import ReplayProgress, read, replayed
from tests.architecture.tree import ROOT
from tests.docs_pages import shell_lines
from tests.generated import same_as_file
from tests.patience import PATIENCE_SECONDS

EXAMPLE = ROOT / "docs/examples/replay"
GOLDEN = EXAMPLE / "transcript.txt"
ALERTMANAGER = ROOT / "tests/fixtures/alertmanager"
BEGINS = 1_772_445_600.0
CONFIG = """
[slack]
channel = "C1"
[pool."linux-x64-large"]
match = { queue = "linux-x64-large" }
[pool."linux-arm64"]
match = { queue = "linux-arm64" }
"""


def write(folder: Path, name: str, *lines: object) -> Path:
    """One file of a recording."""
    (folder / name).write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
    return folder


def alert(after: float, status: str = "firing", **more: object) -> dict[str, object]:
    """A webhook of Alertmanager."""
    ends = "0001-01-01T00:00:00Z" if status == "firing" else "2026-03-02T10:20:00Z"
    one = {"status": status, "labels": {"alertname": "Long", "queue": "linux-x64-large"}, "annotations": {},
           "startsAt": "2026-03-02T10:00:00Z", "endsAt": ends, "fingerprint": "a1"}  # fmt: skip
    body = {"version": "4", "groupKey": "g", "receiver": "bot", "status": status, "alerts": [one],
            "groupLabels": {"alertname": "Long"}, "externalURL": "http://a.example", "truncatedAlerts": 0}  # fmt: skip
    return {"received_at": BEGINS + after, "path": "/alerts/alertmanager", "headers": {}, "body": body, **more}


def samples(*queued: int, every: float = 30.0) -> list[dict[str, object]]:
    """Measurements of the pool, the first a minute before the alert."""
    return [
        {"pool": "linux-x64-large", "at": BEGINS - 60 + every * number, "queued": jobs, "busy": 10, "idle": 0,
         "limit": 10, "oldest_wait_seconds": 60.0 * jobs}
        for number, jobs in enumerate(queued)
    ]  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A recording of a queue that fills and drains, and its configuration."""
    (tmp_path / "tailback.toml").write_text(CONFIG)
    write(tmp_path, "metrics.jsonl", *samples(*[14] * 20, *[9] * 20, *[0] * 20))
    return write(tmp_path, "webhooks.jsonl", alert(0.0), alert(900.0, "resolved"))


def test_the_example_of_the_docs_gives_its_transcript() -> None:
    transcript = f"{replayed(EXAMPLE)}\n"
    same_as_file(GOLDEN, transcript)
    assert len(set(re.findall(r"at least ([\d.]+)\s+(?:developer-)?hours", transcript))) == 1


@pytest.mark.parametrize("seed", ["1", "4242"])
def test_another_process_gives_the_same_transcript(seed: str, folder: Path) -> None:
    """Neither the order of sets nor the clock of the machine gets into it; logs and progress go elsewhere."""
    here = replayed(folder)
    assert "DRAINED" in here
    ran = subprocess.run(
        [sys.executable, "-P", "-m", "handlers", "replay", str(folder)],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": seed, "TZ": "Asia/Tokyo"},
        capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=True,
    )  # fmt: skip
    assert (ran.stdout, ran.stderr) == (f"{here}\n", "")


def test_json_lines_have_the_judgements_the_messages_and_the_summary(folder: Path) -> None:
    """One object a line: a judgement at the opening and at each measurement, unknown figures null."""
    (folder / "metrics.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in samples(*[14] * 20)))
    lines = [json.loads(line) for line in replayed(folder, as_json=True).splitlines()]
    judged = [one for one in lines if one["type"] == "judgement"]
    assert [one["at"] - BEGINS for one in judged[:3]] == [0.0, 30.0, 60.0]
    first, last = judged[0], judged[-1]
    assert (first["pool"], first["queued"], first["oldest_wait_seconds"]) == ("linux-x64-large", 14, 840.0)
    assert first["causes"][0]["id"] == "limit"
    assert first["more_runners"]["helps"] == "yes"
    assert first["forecast"].keys() == {
        *("kind", "low_seconds", "median_seconds", "high_seconds", "reason", "probability_today")
    }
    assert (last["queued"], last["oldest_wait_seconds"], last["causes"][0]["id"]) == (None, None, "blind")
    assert (last["forecast"]["kind"], last["forecast"]["reason"]) == ("none", "queue_unknown")
    assert all(sum(part["jobs"] for part in one["attribution"]) == (one["queued"] or 0) for one in judged)
    messages = [one for one in lines if one["type"] == "message"]
    assert (messages[0]["event"], messages[0]["channel"], messages[0]["thread"]) == ("opened", "C1", None)
    assert {one["event"] for one in messages} > {"opened", "edit"}
    assert lines[-1]["type"] == "summary"
    (incident,) = lines[-1]["incidents"]
    assert incident["causes"][0]["cause"] == "limit"
    assert lines[-1]["webhooks"] == {"fed": 2, "not_readable": 0}


def test_it_stops_where_it_is_told_to(folder: Path) -> None:
    """What comes later is not known yet: the incident is still open."""
    transcript = replayed(folder, until="2026-03-02T10:05:00Z")
    assert "still open" in transcript
    assert "to 2026-03-02 10:05:00 UTC: 1 webhook" in transcript
    with pytest.raises(Refused, match="--until: is before the recording begins; name a later time"):
        replayed(folder, until="2020-01-01T00:00:00Z")
    with pytest.raises(Refused, match="'noon' is not a time; write epoch seconds"):
        replayed(folder, until="noon")


def test_actions_of_an_older_recording_are_left_out_aloud(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A recording holds alerts and figures; who pressed what would move no queue in it."""
    write(folder, "actions.jsonl", {"at": BEGINS + 60, "who": "U0ANA", "says": "ack"})
    assert "U0ANA" not in replayed(folder)
    assert "actions.jsonl is not read" in capsys.readouterr().err


def test_what_cannot_be_read_is_told_and_the_rest_goes_on(folder: Path) -> None:
    """As the real endpoint would answer 400: one broken delivery stops nothing."""
    broken = alert(30.0, body="no JSON")
    write(folder, "webhooks.jsonl", alert(0.0), broken, alert(31.0, path="/hook"), alert(900.0, "resolved"))
    transcript = replayed(folder)
    assert f"webhook alertmanager: not readable ({folder}/webhooks.jsonl:2):" in transcript
    assert "1 webhook repeated an earlier one" in transcript
    assert "1 webhook could not be read" in transcript


def test_what_is_odd_about_a_recording_is_said_first(folder: Path) -> None:
    """Nobody trusts a transcript whose pools were never measured, or too seldom."""
    other = {"pool": "typo", "at": BEGINS, "queued": 1}
    write(folder, "metrics.jsonl", *samples(14, 9, 0, every=900.0), other)
    transcript = replayed(folder)
    assert 'metrics.jsonl has figures of typo, but there is no [pool."typo"]' in transcript
    assert "no figures of linux-arm64 were recorded, so the pool stays unknown." in transcript
    assert "linux-x64-large was measured every 900 s: its figures are stale in between" in transcript


def test_jobs_and_issues_of_github_are_taken_in(folder: Path) -> None:
    """Its webhooks are known by their path, their event by its header."""
    body = json.loads((ROOT / "tests/fixtures/github/RECONSTRUCTED_seed_issue_opened.json").read_text())
    job = json.loads((ROOT / "tests/fixtures/github/workflow_job_queued.json").read_text())
    hooks = [{"received_at": BEGINS + n, "path": "/github", "headers": {"X-GitHub-Event": event}, "body": one}
             for n, (event, one) in enumerate((("issues", body), ("workflow_job", job), ("star", {})))]  # fmt: skip
    transcript = replayed(write(folder, "webhooks.jsonl", *hooks))
    assert "webhook github: opened an incident" in transcript
    assert "1 incident;" in transcript


def test_a_folder_without_a_recording_or_a_configuration_says_what_it_needs(tmp_path: Path, folder: Path) -> None:
    """Each refusal names the path and the remedy."""
    with pytest.raises(Refused, match=r"none: is not a folder; name one with webhooks\.jsonl"):
        read(tmp_path / "none")
    (tmp_path / "empty").mkdir()
    with pytest.raises(Refused, match=r"holds nothing to replay; it needs webhooks\.jsonl"):
        read(tmp_path / "empty")
    with pytest.raises(Refused, match=r"nowhere: is not a folder; name one with webhooks\.jsonl"):
        replayed(folder / "nowhere")
    (folder / "tailback.toml").rename(folder / "other.toml")
    with pytest.raises(Refused, match=r"tailback\.toml: there is no such file; put a tailback\.toml into the folder"):
        replayed(folder)
    assert "1 incident" in replayed(folder, folder / "other.toml")
    (folder / "other.toml").write_text("[slack]\n")
    with pytest.raises(ConfigError, match=r"slack\.channel: is required; add"):
        replayed(folder, folder / "other.toml")
    (folder / "metrics.jsonl").write_bytes(b"\xff")
    with pytest.raises(Refused, match=r"metrics\.jsonl: is not UTF-8"):
        read(folder)


def test_every_documented_configuration_can_be_replayed_without_its_secrets(folder: Path) -> None:
    """Tokens, keys and back ends are not needed: the complete example builds all it names."""
    shutil.copy(ROOT / "docs/examples/tailback.toml", folder / "tailback.toml")
    assert "webhook alertmanager: opened an incident" in replayed(folder)


def test_the_way_to_slack_is_not_needed_for_a_replay(folder: Path) -> None:
    """The company's authority lies on the machine that runs Tailback, perhaps not on the one that replays."""
    text = (folder / "tailback.toml").read_text("utf-8")
    ways = 'proxy = "http://proxy.example:3128"\nproxy_basic_env = "P"\nca_file = "/no/such.pem"\n'
    assert text.count("[slack]\n") == 1
    (folder / "tailback.toml").write_text(text.replace("[slack]\n", f"[slack]\n{ways}") + f"\n[sns]\n{ways}")
    assert "1 incident" in replayed(folder)


@pytest.mark.needs("jq")
def test_the_documented_export_is_replayed_with_real_deliveries(tmp_path: Path) -> None:
    """Real deliveries, one a file, and a real answer of Prometheus through the line that the docs show."""
    (tmp_path / "webhooks").mkdir()
    for hook in ALERTMANAGER.glob("webhook_0[1-4]*.json"):
        shutil.copy(hook, tmp_path / "webhooks")
    (tmp_path / "tailback.toml").write_text(CONFIG)
    (line,) = [
        line for page, line in shell_lines() if line.startswith("curl -sG") and page == "docs/operations/drill.md"
    ]
    answer = json.loads((ALERTMANAGER / "prometheus_api_v1_query_range.json").read_text())
    answer["data"]["result"] = [one for one in answer["data"]["result"] if one["metric"]["queue"] == "linux-x64-large"]
    (tmp_path / "answer.json").write_text(json.dumps(answer))
    export = re.sub(r"^curl .*? \| ", "cat answer.json | ", line).replace("linux.4xlarge", "linux-x64-large")
    subprocess.run(["sh", "-c", export], cwd=tmp_path, check=True, timeout=PATIENCE_SECONDS)
    found = read(tmp_path)
    assert found.samples["linux-x64-large"][0].queued == 212
    transcript = replayed(tmp_path)
    assert "212 jobs queued" in transcript
    assert "webhook alertmanager: joined its incident" in transcript


def test_a_replay_says_on_a_terminal_how_far_it_has_come(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """At each twentieth, once, on standard error: the transcript stays as it is, and a log gets nothing."""
    for terminal, steps in ((False, 0), (True, 20)):
        monkeypatch.setattr(sys.stderr, "isatty", lambda terminal=terminal: terminal)
        progress = ReplayProgress(0.0, 1000.0)
        for at in range(0, 1001, 10):
            progress(float(at))
        output = capsys.readouterr()
        assert (output.out, output.err.count("\r")) == ("", steps)
    assert output.err.endswith("replayed 95%\rreplayed 100%\n")
