"""What the tests of requests begin with."""

from tests.silencing.conftest import world as world  # noqa: PLC0414 - the same fixture
