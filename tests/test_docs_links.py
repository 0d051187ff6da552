"""The pages hang together: links lead somewhere, images are there, small and described, README stays short."""

import re

import pytest

from tests.architecture.tree import ROOT
from tests.docs_pages import Page, page, pages, target_of

MOST_IMAGE_BYTES = 300_000
MOST_ANIMATED_BYTES = 1_500_000
MOST_README_LINES = 45
LOUD = re.compile(
    r"\b(blazing|seamless\w*|powerful|cutting|effortless\w*|revolution\w*|world-class|simply|just)\b", re.I
)


@pytest.mark.parametrize("one", pages(), ids=lambda one: one.path)
def test_each_relative_link_leads_to_a_file_and_a_heading(one: Page) -> None:
    for _, text, target in one.links():
        if re.match(r"[a-z]+:", target):
            continue
        file, anchor = target_of(one.path, target)
        assert file.exists(), f"{one.path}: [{text}] leads to {target}, which is not there"
        if anchor:
            there = page(file.resolve().relative_to(ROOT).as_posix())
            assert anchor in there.anchors(), f"{one.path}: {target} has no such heading"


@pytest.mark.parametrize("one", pages(), ids=lambda one: one.path)
def test_each_image_is_described_and_small(one: Page) -> None:
    for is_image, text, target in one.links():
        if is_image:
            file, _ = target_of(one.path, target)
            assert 5 <= len(text.split()) <= 16, f"{one.path}: {target} needs a short alt text"
            most = MOST_ANIMATED_BYTES if b"acTL" in file.read_bytes()[:100] else MOST_IMAGE_BYTES
            assert file.stat().st_size <= most, f"{target} is too large"


def clicks(start: str, without: str = "") -> dict[str, int]:
    """Page → how many links lead to it at least from the page `start`, when nobody opens the page `without`."""
    found, waiting = {start: 0}, [start]
    while waiting:
        path = waiting.pop(0)
        targets = (
            target_of(path, target)[0] for _, _, target in page(path).links() if not re.match(r"[a-z]+:", target)
        )
        names = {file.resolve().relative_to(ROOT).as_posix() for file in targets if file.suffix == ".md"}
        new = sorted(names - found.keys() - {without})
        found |= dict.fromkeys(new, found[path] + 1)
        waiting += new
    return found


def test_every_page_of_docs_is_reached_from_the_readme() -> None:
    assert {one.path for one in pages()} - clicks("README.md").keys() == set()


def test_the_home_page_calls_each_page_by_its_title() -> None:
    """Who follows a link, or searches for it, finds the words again."""
    home = page("docs/README.md")
    named = [(text, target_of(home.path, target)[0]) for _, text, target in home.links() if "://" not in target]
    titles = [(text, file.read_text("utf-8").partition("\n")[0].removeprefix("# ")) for text, file in named]
    assert [one for one in titles if one[0] != one[1]] == []


def test_the_answer_to_each_question_of_newcomers_is_two_clicks_away() -> None:
    """From the home page, without the list of questions."""
    questions = "docs/questions.md"
    numbered = re.findall(r"^(\d+)\. (.+\?) ", page(questions).text, re.M)
    assert [int(number) for number, _ in numbered] == list(range(1, 21))
    answers = {target.partition("#")[0] for _, _, target in page(questions).links()}
    away = clicks("docs/README.md", without=questions)
    assert {answer: away.get(f"docs/{answer}") for answer in answers if away.get(f"docs/{answer}", 9) > 2} == {}


def test_the_readme_is_short_and_quiet() -> None:
    """One screen, with a picture, the two commands, and no badges or loud words."""
    readme = page("README.md")
    assert len(readme.text.splitlines()) < MOST_README_LINES
    assert "./tailback demo\n" in readme.code("sh")
    assert "./tailback test\n" in readme.code("sh")
    assert [target for is_image, _, target in readme.links() if is_image] == ["docs/images/walk.png"]
    assert LOUD.findall(readme.text) == []


def test_the_decisions_are_numbered_without_a_gap_and_have_their_three_parts() -> None:
    decisions = [one for one in pages() if one.path.startswith("docs/adr/0")]
    assert [int(one.path.split("/")[-1][:4]) for one in decisions] == list(range(1, len(decisions) + 1))
    for one in decisions:
        assert [part for part in ("Context", "Decision", "Consequences") if f"**{part}.**" not in one.text] == []
