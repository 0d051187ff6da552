"""The pages of the alert sources: each configuration through the doctor, and every template on them is read."""

import json
from pathlib import Path

import pytest

from bot.core.routing import named_pools
from bot.sources.event import parse
from handlers.doctor.findings import CheckFinding, Level
from tests.builders import rules
from tests.integrations.checking import blocks, checked

TOPIC = "arn:aws:sns:us-east-1:123456789012:ci-alerts"
NOT_MEASURED = "no metrics source is named"
DATADOG = {
    "$TAGS[runner_label]": "linux.2xlarge",
    "$TAGS[team]": "pytorch-dev-infra",
    "$ALERT_STATUS": "avg(last_5m):max:ci.queue.oldest_wait > 60",
    "$ALERT_PRIORITY": "P2",
    "$DATE": "1796062980000",
    "$ORG_ID": "11023",
    "$ALERT_ID": "48151623",
    "$LINK": "https://app.datadoghq.com/event/event?id=1",
}


def problems(found: list[CheckFinding]) -> list[str]:
    """What the doctor calls a problem, and what it says of SNS."""
    return [one.text for one in found if one.state is Level.PROBLEM or "sns" in one.text.lower()]


@pytest.mark.parametrize("page", ["sns", "event", "github-issues"])
async def test_the_configuration_of_the_page_works(page: str, tmp_path: Path) -> None:
    """Nothing is wrong in it; how the pool is measured is another page's part."""
    found = await checked(page, tmp_path, {})
    assert problems(found) == []
    assert [one for one in found if NOT_MEASURED in one.text]


@pytest.mark.parametrize(
    ("instead", "state", "text", "remedy"),
    [
        (f'"{TOPIC}"', Level.WARNING, "[sns] names no topic", 'add topics = ["arn:aws:sns:REGION:ACCOUNT:NAME"]'),
        (TOPIC, Level.PROBLEM, "sns.topics: 'ci-alerts' is not the ARN of an SNS topic", "copy it from the topic's"),
    ],
)
async def test_each_failure_is_told_with_its_remedy(
    instead: str, state: Level, text: str, remedy: str, tmp_path: Path
) -> None:
    """No topic at all, and a name where an ARN is needed."""
    found = await checked("sns", tmp_path, {instead: "" if instead.startswith('"') else "ci-alerts"})
    (one,) = [finding for finding in found if "sns" in finding.text]
    assert one.state is state
    assert text in one.text
    assert remedy in one.remedy


@pytest.mark.parametrize("template", blocks("event", "json"), ids=["example", "datadog"])
def test_each_template_on_the_page_yields_an_event(template: str) -> None:
    """With Datadog's variables filled in; the pool is named and the team can be routed by."""
    for variable, value in DATADOG.items():
        template = template.replace(variable, json.dumps(value)[1:-1])
    assert "$" not in template
    found = parse(template.encode())
    assert named_pools(found.alerts, [rules("linux.2xlarge", {"runner_label": "linux.2xlarge"})]).named
    assert found.alerts[0].teams == ("pytorch-dev-infra",)
    over = parse(template.replace("FIRING", "RESOLVED").encode())
    assert (over.key, over.firing) == (found.key, False)
