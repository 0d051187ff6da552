"""A made-up AWS account for the doctor."""

import pytest

from tests.adapters.scalers.aws_api import MADE_UP


@pytest.fixture(autouse=True)
def aws_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the usual variables."""
    for name, value in MADE_UP.items():
        monkeypatch.setenv(name, value)
