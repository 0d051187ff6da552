"""A diagnosis reads as cause, evidence, what to do; one verdict, and the rest collapsed."""

import json
from dataclasses import replace

import pytest

from bot.core.finding import Diagnosis, Finding, Scaling
from bot.core.incident.details.events import Diagnosed, QueueingPool
from bot.core.incident.timeline import Entry, Event
from bot.core.message import Message
from bot.core.statement import Statement, statement
from bot.views.export.export_json import as_json, causes
from bot.views.export.markdown import markdown
from bot.views.simpler import YOUNG, without
from bot.views.thread.replies import reply
from bot.views.words.causes import EVIDENCE
from tests.slack_limits import message_problems, texts
from tests.views import samples
from tests.views.golden import assert_golden
from tests.views.samples import NOW

SEEN = tuple(statement("limit_was", limit=n) for n in range(40, 46))
STOCKOUT = Finding("stockout", 0.8, SEEN, Scaling.NO, "wait_or_change_type", "linux.2xlarge")
SURGE = Finding("surge", 0.5, SEEN[:1], Scaling.HELPS, "add_runners", "linux.2xlarge")
OTHER = Finding("limit", 0.6, SEEN[:2], Scaling.HELPS, "raise_limit", "gpu")


def drawn(*groups: tuple[Diagnosis, ...]) -> Message:
    sample = samples.sample("linux.2xlarge")
    names = ("linux.2xlarge", "gpu", "linux.large")
    found = Diagnosed(names, groups, 0, (QueueingPool("linux.2xlarge", 60.0),), {"gpu": "HTTP 500"})
    made = reply(samples.queueing()[0], Entry(4, NOW, Event.DIAGNOSED, found, "U0ANA", figures=(sample,)), NOW)
    assert message_problems(made) == []
    return made


def diagnosed(*findings: Finding, missing: tuple[str, ...] = ()) -> tuple[Diagnosis, ...]:
    return (Diagnosis(findings[0].pool if findings else "linux.2xlarge", findings, missing, waits=True),)


def test_the_reply_is_drawn_as_its_golden_file_says() -> None:
    assert_golden("reply_diagnosis", drawn(diagnosed(STOCKOUT, SURGE, missing=("api_remaining",)), diagnosed(OTHER)))


def test_there_is_one_verdict_with_at_most_four_figures() -> None:
    made = drawn(diagnosed(STOCKOUT, SURGE), diagnosed(OTHER))
    dumped = json.dumps(made.blocks)
    assert dumped.count("*Cause:*") == dumped.count("*What to do:*") == 1
    (evidence,) = [text for text in texts(made.blocks) if text.startswith("*Evidence*")]
    assert evidence.count("• ") == 4
    assert "More runners don't help." in dumped
    assert "More runners help." not in dumped + made.text
    assert [block["type"] for block in made.blocks if block["type"] in YOUNG] == ["container", "context_actions"]


def test_a_diagnosis_of_another_release_is_drawn_and_exported() -> None:
    """Its evidence lacks every value or has an id that no words know, as its cause and its remedy have."""
    known = (*(Statement(name) for name in EVIDENCE), Statement("meteorite", {"size": 3}))
    found = Diagnosed(("gpu",), (diagnosed(Finding("meteorite", 0.8, known, Scaling.NO, "duck", "gpu"), SURGE),))
    entry, of = Entry(4, NOW, Event.DIAGNOSED, found), samples.closed()
    shown = replace(of, log=replace(of.log, timeline=(*of.log.timeline, entry)))
    for text in (reply(shown, entry, NOW).text, markdown(shown, NOW), as_json(shown, NOW)):
        assert "meteorite" in text
    assert [one["id"] for one in causes(found.groups[0][0].findings)] == ["meteorite", "surge"]


@pytest.mark.parametrize("groups", [(), (diagnosed(missing=("idle",)),)])
def test_without_a_cause_nobody_is_asked_about_one(groups: tuple[tuple[Diagnosis, ...], ...]) -> None:
    made = drawn(*groups)
    assert "context_actions" not in [block["type"] for block in made.blocks]
    assert ("These figures would help: idle runners" in made.text) is bool(groups)


def test_without_young_blocks_every_word_and_both_thumbs_stay() -> None:
    made = drawn(diagnosed(STOCKOUT, SURGE), diagnosed(OTHER))
    simple = without(made, YOUNG)
    assert message_problems(simple) == []
    words = " ".join(texts(simple.blocks))
    assert all(word in words for text in texts(made.blocks) for word in text.replace("\n", " ").split() if word != "–")
    buttons = [one for block in simple.blocks if block["type"] == "actions" for one in block["elements"]]  # type: ignore[attr-defined]
    assert [one["value"] for one in buttons] == ["inc_1.stockout.yes", "inc_1.stockout.no"]
