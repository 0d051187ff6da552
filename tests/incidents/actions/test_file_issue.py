"""File an issue: the text is shown first and filed as shown, once, with links in both directions."""

from typing import Any

import pytest

from bot.core.incident.details.requests import IssueNoted, IssueStep, RequestEnd, RequestNotDone
from bot.core.reporting.issue import is_own, issue_of, marker
from bot.core.requests.interaction import request_id
from bot.incidents.actions.file_issue import NAME
from bot.ports import Failure, Person, Refused
from bot.views.words import refusals
from tests.requests.test_perform import dies_after_the_effect
from tests.world import ANA, BEN, World, dialog, refused, spoken, whisper

TABLE: dict[str, Any] = {"issues": {"repository": "example/ci", "token_env": "TOKEN", "labels": ["ci-incident"]}}

FILED = IssueNoted(IssueStep.FILED, "example/ci#1", "https://github.example/example/ci/issues/1")


async def opened(**tables: Any) -> World:
    return await World.opened(**{**TABLE, **tables})


async def shown(world: World, who: str = ANA) -> str:
    return str(dialog(await world.asks(NAME, who)))


async def confirmed(world: World, who: str = ANA) -> None:
    await shown(world, who)
    await world.asks(NAME, who, surface="dialog")


async def test_the_text_is_filed_as_it_was_shown_with_links_in_both_directions() -> None:
    world = await opened()
    dialog = await shown(world)
    assert "linux.2xlarge: 14 jobs queued" in dialog
    assert "ci-incident" in dialog
    await world.asks("ack", BEN)
    await world.done(world.asks(NAME, surface="dialog"))
    ((title, text, labels),) = world.issues.filed
    assert title.startswith("linux.2xlarge: 14 jobs queued")
    assert labels == ("ci-incident",)
    assert "U0BEN" not in text
    assert f"<{await world.chat.permalink(world.incident.thread.channel, world.parent.ts)}>" in text
    assert text.endswith(marker(world.incident.id))
    assert is_own(text)
    link = FILED.url
    filed = next(one for one in world.incident.log.timeline if one.details == FILED)
    assert (filed.who, world.details(IssueNoted)[-1]) == (ANA, FILED)
    assert link in str(world.thread[-1].blocks)
    assert link in str(world.parent.message.blocks)
    found = issue_of(world.incident)
    assert found is not None
    assert found.url == link


async def test_typed_it_offers_the_dialog_also_for_an_incident_that_is_over() -> None:
    world = await opened()
    await world.done(world.asks("resolve", surface="dialog"))
    assert request_id(world.incident, NAME) in str(whisper(await world.says(NAME)).blocks)
    await world.done(confirmed(world))
    assert len(world.issues.filed) == 1


@pytest.mark.parametrize("people", ["", "roles", "names"])
async def test_people_are_named_only_if_somebody_says_so(people: str) -> None:
    """Others can read the issue. The dialog asks, and without a word there are roles."""
    world = await opened()
    world.chat.people[BEN] = Person(BEN, "T0", name="Ben *Beta*")
    await world.done(world.asks("ack", BEN))
    await world.done(world.says("note", "call", f"<@{BEN}>", "first"))
    dialog = await shown(world)
    assert "Name people in the issue" in dialog
    assert "By name: Ben" in dialog
    assert "Responder A acknowledged" in dialog
    await world.done(world.asks(NAME, surface="dialog", values={"people": people} if people else {}))
    ((_, text, _),) = world.issues.filed
    assert ("Ben" in text) is (people == "names")
    assert ("Responder A" in text) is (people != "names")
    assert BEN not in text
    assert ("call Ben" if people == "names" else "call Responder A first") in text


async def test_without_people_nothing_is_asked() -> None:
    assert "Name people in the issue" not in await shown(await opened())


async def test_a_second_request_is_refused_with_the_first_one() -> None:
    world = await opened()
    await shown(world, BEN)
    await confirmed(world)
    with pytest.raises(Refused):
        await world.asks(NAME, BEN, surface="dialog")
    await refused(refusals.ISSUE_BEING_FILED, world.says(NAME))
    await world.work()
    await refused(refusals.issue_filed(FILED.name, FILED.url), world.says(NAME))
    assert len(world.issues.filed) == 1
    assert "File an issue" not in str(world.parent.message.blocks)


@pytest.mark.parametrize("arrived", [True, False])
async def test_an_answer_that_got_lost_files_one(*, arrived: bool) -> None:
    world = await opened()
    world.issues.script.fail("create", Failure.UNKNOWN, after=arrived)
    await confirmed(world)
    await world.passes(120)
    assert len(world.issues.filed) == 1
    assert world.details(IssueNoted)[-1] == FILED


async def test_a_worker_that_dies_is_followed_by_one_that_looks_first() -> None:
    world = await opened()
    await confirmed(world)
    (claim,) = await world.claims("act")
    await dies_after_the_effect(world, claim)
    await world.passes(60)
    assert len(world.issues.filed) == 1


async def test_after_a_refusal_it_can_be_asked_again() -> None:
    world = await opened()
    refusal = Refused("GitHub: issues are disabled")
    world.issues.script.fail("create", error=refusal)
    await world.done(confirmed(world))
    assert [(one.how, one.why) for one in world.details(RequestNotDone)] == [(RequestEnd.REFUSED, str(refusal))]
    await world.done(confirmed(world))
    assert len(world.issues.filed) == 1


async def test_labels_that_github_dropped_are_named() -> None:
    """GitHub drops them silently without push access."""
    world = await opened()
    world.issues.may_label = False
    await world.done(confirmed(world))
    assert [one.lacking for one in world.details(IssueNoted) if one.step is IssueStep.FILED] == [("ci-incident",)]


async def test_shadow_mode_files_nothing() -> None:
    world = await opened(actions={"shadow": True})
    await world.done(confirmed(world))
    assert not world.issues.filed
    assert world.details(IssueNoted)[-1].step is IssueStep.NOT_FILED


async def test_a_dialog_that_is_too_old_files_nothing() -> None:
    world = await opened()
    with pytest.raises(Refused):
        await world.asks(NAME, surface="dialog")
    assert not world.issues.filed


async def test_without_a_repository_it_is_neither_offered_nor_done(world: World) -> None:
    await world.opens()
    assert "File an issue" not in str(world.parent.message.blocks)
    await refused("[issues]", world.says(NAME))


@pytest.mark.parametrize(
    ("more", "headings"),
    [
        ({}, "What happened, Impact, Cause, What was tried, What worked, Follow-ups, Alert, Timeline (UTC)"),
        (
            {"preset": "pytorch"},
            "Current Status, Error looks like, Incident timeline (Pacific), User impact, Root cause, Mitigation, "
            "Prevention/followups",
        ),
        (
            {"headings": {"impact": "Who waited", "timeline": "When"}, "zone": "Europe/Berlin"},
            "Who waited, When (Europe/Berlin)",
        ),
    ],
)
async def test_the_headings_are_those_of_the_preset_or_ones_own(more: dict[str, object], headings: str) -> None:
    world = await opened(issues={**TABLE["issues"], **more, "labels": []})
    await world.done(confirmed(world))
    ((_, text, labels),) = world.issues.filed
    assert ", ".join(line[3:] for line in text.splitlines() if line.startswith("## ")) == headings
    assert labels == (("ci: sev",) if "preset" in more else ())


async def test_texts_from_outside_mention_nobody_there() -> None:
    world = World(**TABLE)
    await world.opens(spoken(team="@everyone", alertname="<!channel> @octocat closes #1"))
    dialog = await shown(world)
    assert "<!channel>" not in dialog
    await world.done(world.asks(NAME, surface="dialog"))
    assert "@octocat" not in world.issues.filed[0][1]
