"""Properties that are tried with a multiple of the profile's examples (tests/conftest.py)."""

from hypothesis import settings

TWICE = settings(max_examples=2 * settings().max_examples)
THRICE = settings(max_examples=3 * settings().max_examples)
