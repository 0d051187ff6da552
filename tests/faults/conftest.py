"""One forker of processes for all fault tests of a run."""

import os
from collections.abc import Iterator

import pytest

from tests.faults.servers import Zygote

LONG = 20
"""With so many rounds every case runs as the catalogue says, and not shortened."""


@pytest.fixture(scope="session")
def zygote() -> Iterator[Zygote]:
    """Starts product processes within milliseconds."""
    made = Zygote()
    yield made
    made.close()


@pytest.fixture
def rounds() -> int:
    """How often a case is repeated: TAILBACK_FAULT_ROUNDS, for the long run 20; a few by default."""
    return int(os.environ.get("TAILBACK_FAULT_ROUNDS", "2"))
