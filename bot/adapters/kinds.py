"""Loads the module of a kind, and its library, when a configuration first names it."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Generic, TypeVar, cast

from bot.config import unusable

B = TypeVar("B")


class Kinds(Mapping[str, B], Generic[B]):
    """Maps `kind` to the `build` of the module with that name in a package."""

    def __init__(self, package: str, *words: str) -> None:
        """`package` is for example bot.adapters.scalers."""
        self._package, self._words = package, words

    def __getitem__(self, word: str) -> B:
        """The builder of a kind; raises KeyError, or ConfigError if a library is not installed."""
        if word not in self._words:
            raise KeyError(word)
        try:
            return cast("B", import_module(f"{self._package}.{word}").build)
        except ModuleNotFoundError as error:
            remedy = "run `./tailback setup aws`, or install tailback[aws]"
            raise unusable("", f'kind "{word}" needs {error.name}, which is not installed', remedy) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._words)

    def __len__(self) -> int:
        return len(self._words)
