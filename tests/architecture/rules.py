"""Every rule of the structure."""

from collections.abc import Callable, Iterator

from tests.architecture import code, complete, doors, imports, words
from tests.architecture.tree import Project

Rule = Callable[[Project], Iterator[str]]

RULES: tuple[Rule, ...] = (
    imports.pure_packages,
    imports.libraries_in_their_place,
    imports.layers,
    imports.listed_neighbors_are_used,
    imports.adapters_are_handed_in,
    imports.playground_is_apart,
    imports.imports_at_the_top,
    imports.no_cycles,
    imports.no_circles_of_folders,
    code.clock_and_environment,
    code.broad_excepts,
    code.opening_sentences,
    code.empty_packages,
    code.short_files,
    code.short_functions,
    code.small_folders,
    code.class_names_once,
    code.top_level_packages,
    words.decisions_on_text,
    words.text_readers_are_used,
    words.wordless_core,
    words.sentences_are_tested_in_views,
    doors.public_doors,
    complete.registered_modules_have_tests,
    complete.shared_tests_exist,
)
"""A rule yields one line for each breach: file, line, what is wrong, and what to do."""
