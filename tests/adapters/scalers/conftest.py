"""Gives scaler tests made-up AWS credentials, and keeps them away from this machine's own."""

import pytest


@pytest.fixture(autouse=True)
def aws_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the usual variables, as boto3's chain finds them first."""
    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL"):
        monkeypatch.delenv(name, raising=False)
    made_up = {
        "AWS_ACCESS_KEY_ID": "AKIAMADEUP",
        "AWS_SECRET_ACCESS_KEY": "made-up",
        "AWS_EC2_METADATA_DISABLED": "true",
    }
    for name, value in {**made_up, "AWS_CONFIG_FILE": "/dev/null", "AWS_SHARED_CREDENTIALS_FILE": "/dev/null"}.items():
        monkeypatch.setenv(name, value)
