"""The variables of the environment, with their defaults."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, SecretStr

from bot.settings import Table, web_address
from bot.wrong_settings import proxies

SLACK = "https://slack.com/api/"
EMPTY_SAYS_SOMETHING = {"TAILBACK_WEBHOOK_HMAC_TIMESTAMP_HEADER"}
"""Set but empty, this one means that only the body is signed; any other empty variable counts as unset."""


def _address(given: str) -> str:
    return (web_address(given, "https://tailback.example.com") and given.strip().rstrip("/")) if given else ""


class Environment(Table):
    """The variables of the environment, by their fixed names in lower case."""

    model_config = ConfigDict(extra="ignore", frozen=True, hide_input_in_errors=True)

    slack_bot_token: SecretStr = SecretStr("")
    slack_signing_secret: SecretStr = SecretStr("")
    slack_app_token: SecretStr = SecretStr("")
    slack_api_url: Annotated[str, AfterValidator(lambda given: web_address(given, SLACK) and given)] = SLACK
    redis_url: SecretStr = SecretStr("")
    tailback_data: Path = Path("./data")
    tailback_config: Path = Path("./tailback.toml")
    host: str = "127.0.0.1"
    port: int = Field(default=8080, ge=0, le=65535)
    forwarded_allow_ips: Annotated[str, AfterValidator(proxies)] = ""
    tailback_health_host: str = ""
    """Empty: the same as `host`."""
    tailback_health_port: int | None = Field(default=None, ge=0, le=65535)
    tailback_worker_port: int | None = Field(default=None, ge=0, le=65535)
    tailback_webhook_token: SecretStr = SecretStr("")
    tailback_webhook_hmac_secret: SecretStr = SecretStr("")
    tailback_webhook_hmac_timestamp_header: str = "X-Grafana-Alerting-Timestamp"
    github_webhook_secret: SecretStr = SecretStr("")
    tailback_url: Annotated[str, AfterValidator(_address)] = ""
    """Where commands ask a running installation; empty: at `host` and `port`."""
    tailback_api_token: SecretStr = SecretStr("")
    log_level: Annotated[Literal["DEBUG", "INFO", "WARNING", "ERROR"], BeforeValidator(str.upper)] = "INFO"
    log_format: Annotated[Literal["json", "console", ""], BeforeValidator(str.lower)] = ""

    @property
    def webhook_tokens(self) -> tuple[str, ...]:
        """All valid tokens; two during a rotation."""
        return parts(self.tailback_webhook_token)

    @property
    def github_secrets(self) -> tuple[str, ...]:
        """All valid secrets of GitHub's webhooks; two during a rotation."""
        return parts(self.github_webhook_secret)


def parts(secret: SecretStr) -> tuple[str, ...]:
    """The comma-separated values of a variable."""
    return tuple(part.strip() for part in secret.get_secret_value().split(",") if part.strip())
