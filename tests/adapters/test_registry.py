"""The kinds of a back end are loaded by their word, and a missing library is told with its remedy."""

import sys
from pathlib import Path

import pytest

from bot.adapters.registry import Kinds
from bot.config import ConfigError

ROOM = "room_of_kinds_for_a_test"


@pytest.fixture
def kinds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Kinds[object]:
    """A room with a kind that is whole, and one whose library nobody has."""
    (tmp_path / ROOM).mkdir()
    (tmp_path / ROOM / "whole.py").write_text("build = 'built'\n")
    (tmp_path / ROOM / "poor.py").write_text("import library_that_nobody_has\nbuild = None\n")
    monkeypatch.syspath_prepend(tmp_path)
    return Kinds(ROOM, "whole", "poor")


def test_a_word_finds_what_builds_its_kind(kinds: Kinds[object]) -> None:
    assert f"{ROOM}.whole" not in sys.modules
    assert kinds["whole"] == "built"
    assert f"{ROOM}.whole" in sys.modules


def test_an_unknown_word_is_no_kind(kinds: Kinds[object]) -> None:
    assert kinds.get("os") is None
    with pytest.raises(KeyError):
        kinds["os"]


def test_a_missing_library_is_named_with_the_remedy(kinds: Kinds[object]) -> None:
    with pytest.raises(ConfigError) as caught:
        kinds["poor"]
    assert str(caught.value).splitlines() == [
        'kind "poor" needs library_that_nobody_has, which is not installed; '
        "run `./tailback setup aws`, or install tailback[aws]"
    ]
    assert kinds["whole"] == "built"


def test_the_words_can_be_listed_without_loading_anything(kinds: Kinds[object]) -> None:
    assert (list(kinds), len(kinds)) == (["whole", "poor"], 2)
    assert f"{ROOM}.poor" not in sys.modules
