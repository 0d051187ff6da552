"""The docs are short sentences."""

import pytest

from tests.docs_pages import Page, pages

GENERATED = ("docs/reference/messages.md", "docs/reference/sentences.md", "docs/examples/")
WRITTEN = [one for one in pages() if not one.path.startswith(GENERATED)]
"""Those are the product's own words, collected from the code or printed by it."""
MOST_WORDS = 25
MOST_ON_AVERAGE = 18


def test_a_sentence_has_at_most_18_words_on_average() -> None:
    sentences = [words for one in WRITTEN for words in one.sentences()]
    assert len(sentences) > 3000
    assert sum(map(len, sentences)) / len(sentences) <= MOST_ON_AVERAGE


@pytest.mark.parametrize("one", [one for one in WRITTEN if one.path != "CHANGELOG.md"], ids=lambda one: one.path)
def test_no_sentence_is_longer_than_25_words(one: Page) -> None:
    """The change log tells what was, in the words of then."""
    assert [" ".join(words) for words in one.sentences() if len(words) > MOST_WORDS] == []
