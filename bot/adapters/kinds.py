"""The kinds of a back end by their word: the module of a kind, and its library, is loaded when it is first used."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Generic, TypeVar, cast

from bot.config import ConfigError

B = TypeVar("B")


class Kinds(Mapping[str, B], Generic[B]):
    """The word of `kind` → the `build` of the module of that name in one room."""

    def __init__(self, room: str, *words: str) -> None:
        """`room` is a package such as bot.adapters.scalers."""
        self._room, self._words = room, words

    def __getitem__(self, word: str) -> B:
        """What builds the kind; raises KeyError, or ConfigError when a library that it needs is not installed."""
        if word not in self._words:
            raise KeyError(word)
        try:
            return cast("B", import_module(f"{self._room}.{word}").build)
        except ModuleNotFoundError as error:
            remedy = "run `./tailback setup aws`, or install tailback[aws]"
            raise ConfigError([f'kind "{word}" needs {error.name}, which is not installed; {remedy}']) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._words)

    def __len__(self) -> int:
        return len(self._words)
