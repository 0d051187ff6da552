"""Gives scaler tests made-up AWS credentials, and keeps them away from this machine's own."""

import pytest

from tests.adapters.scalers.aws_api import MADE_UP


@pytest.fixture(autouse=True)
def aws_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the usual variables, as boto3's chain finds them first."""
    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL"):
        monkeypatch.delenv(name, raising=False)
    for name, value in MADE_UP.items():
        monkeypatch.setenv(name, value)
