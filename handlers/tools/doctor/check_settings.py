"""Checks configuration and environment, before anything is contacted."""

import re
from collections.abc import Iterator
from urllib.parse import urlparse

from bot.config import Settings
from bot.core.words import listed
from bot.sources.sns import known_arn
from handlers.tools.doctor.findings import CheckFinding, ok, problem, warning
from handlers.tools.doctor.senders import sender_problems

CHANNEL = re.compile(r"[CG][A-Z0-9]{2,20}")
GROUP = re.compile(r"S[A-Z0-9]{2,20}")
PERSON = re.compile(r"[UW][A-Z0-9]{2,20}")
EXAMPLES = frozenset(
    {
        *("xoxb-your-bot-token", "your-signing-secret", "xapp-your-app-level-token"),
        *("a-long-random-value", "another-long-random-value"),
    }
)
"""The values of .env.example."""
WEAK = 16
"""Characters; a shorter random value may have less than 128 bits (C2)."""
HERE = frozenset({"localhost", "127.0.0.1", "::1", ""})


def of_settings(settings: Settings) -> list[CheckFinding]:
    """Missing, weak or contradictory settings, and one finding for each part in order."""
    environment = of_environment(settings)
    configuration = [*_channels(settings), *_sns(settings), *_pools(settings), *_actions(settings)]
    return [
        *(environment or [ok("environment", "Every variable that is needed is set")]),
        *(configuration or [ok("configuration", f"{settings.env.tailback_config} has no gaps")]),
    ]


def of_environment(settings: Settings) -> list[CheckFinding]:
    """Missing or weak environment variables."""
    return [*_slack_tokens(settings), *_webhooks(settings), *of_redis_url(settings)]


def groups_of(settings: Settings) -> dict[str, str]:
    """User group id → the settings that name it."""
    found: dict[str, list[str]] = {}
    for name, allowed in settings.file.permissions.model_dump().items():
        for who in allowed:
            if GROUP.fullmatch(who):
                found.setdefault(who, []).append(f"permissions.{name}")
    for place, group in [("slack.mention", settings.file.slack.mention)] + [
        (f"route {number}, mention", route.mention) for number, route in enumerate(settings.file.route, 1)
    ]:
        if GROUP.fullmatch(group):
            found.setdefault(group, []).append(place)
    return {group: listed(places) for group, places in found.items()}


def channels_of(settings: Settings) -> dict[str, str]:
    """Channel id → the settings that name it."""
    slack, found = settings.file.slack, dict[str, list[str]]()
    named = [("slack.channel", slack.channel), ("slack.fallback_channel", slack.fallback_channel)]
    named += [(f"route {number}, channel", route.channel) for number, route in enumerate(settings.file.route, 1)]
    for place, channel in named:
        if channel:
            found.setdefault(channel, []).append(place)
    return {channel: listed(places) for channel, places in found.items()}


def _slack_tokens(settings: Settings) -> Iterator[CheckFinding]:
    env = settings.env
    bot, app = env.slack_bot_token.get_secret_value(), env.slack_app_token.get_secret_value()
    secret = env.slack_signing_secret.get_secret_value()
    if not bot:
        yield problem(
            "environment",
            "SLACK_BOT_TOKEN is not set",
            "create the app with `tailback manifest`, install it and copy the bot token from OAuth & Permissions",
        )
    elif not bot.startswith("xoxb-"):
        yield warning("environment", "SLACK_BOT_TOKEN does not begin with xoxb-", "copy the bot token, not another one")
    if app and not app.startswith("xapp-"):
        yield problem("environment", "SLACK_APP_TOKEN does not begin with xapp-",
                      "create an app-level token with connections:write under Basic Information")  # fmt: skip
    if not secret and not app:
        yield problem(
            "environment",
            "SLACK_SIGNING_SECRET is not set, so nothing that Slack delivers can be believed",
            "copy it from the app's Basic Information, or set SLACK_APP_TOKEN for Socket Mode",
        )
    yield from _still_examples({"SLACK_BOT_TOKEN": bot, "SLACK_APP_TOKEN": app, "SLACK_SIGNING_SECRET": secret})


def _webhooks(settings: Settings) -> Iterator[CheckFinding]:
    env = settings.env
    tokens, signing = env.webhook_tokens, env.tailback_webhook_hmac_secret.get_secret_value()
    own = settings.sender_tokens
    yield from (problem("environment", one.what, one.remedy) for one in sender_problems(settings))
    if not tokens and not signing and not own:
        yield problem(
            "environment",
            "TAILBACK_WEBHOOK_TOKEN is not set, so every alert would be refused",
            "choose a long random value (openssl rand -hex 32) and give it to the alert sender",
        )
    if signing and not env.tailback_webhook_hmac_timestamp_header:
        yield warning(
            "environment",
            "Grafana's signature is checked without a timestamp, so a captured request could be replayed",
            "set TAILBACK_WEBHOOK_HMAC_TIMESTAMP_HEADER, and the same header in Grafana's contact point",
        )
    if signing and not tokens and not own:
        yield warning("environment", "Only signed requests are taken, and Alertmanager cannot sign",
                      "set TAILBACK_WEBHOOK_TOKEN too, unless Grafana is the only sender")  # fmt: skip
    hooks = env.github_webhook_secret.get_secret_value()
    if not hooks and (fed := _fed_by_github(settings)):
        yield warning("environment", f"GITHUB_WEBHOOK_SECRET is not set, so no webhook tells of the jobs of {fed}",
                      "choose a long random value, and give it to a webhook for workflow jobs to /github")  # fmt: skip
    given = [("TAILBACK_WEBHOOK_TOKEN", token) for token in tokens]
    given += [("TAILBACK_WEBHOOK_HMAC_SECRET", signing), ("GITHUB_WEBHOOK_SECRET", hooks)]
    given += [(f'The token of [[sender]] "{sender.name}"', token) for token, sender in own]
    for name, value in given:
        if value:
            yield from _still_examples({name: value})
        if value and len(value) < WEAK:
            yield warning("environment", f"{name} has under {WEAK} characters and could be guessed",
                          "replace it by a long random value (openssl rand -hex 32)")  # fmt: skip


def _fed_by_github(settings: Settings) -> str:
    """The pools that depend on GitHub's webhooks, as a list for people."""
    file = settings.file
    return listed(
        name
        for name, pool in file.pool.items()
        if any(file.metrics.get(source, {}).get("kind") == "github" for source in pool.metrics)
        or pool.scaler.get("kind") == "github_aws_runners"
    )


def of_redis_url(settings: Settings) -> Iterator[CheckFinding]:
    """Whether others could read or change records in transit (SE-6); the server itself is checked later."""
    url = settings.env.redis_url.get_secret_value()
    try:
        parsed = urlparse(url)
        away = (parsed.hostname or "") not in HERE
    except ValueError:
        return
    if not parsed.scheme.startswith("redis") or not away:
        return
    if "@" not in parsed.netloc and "password=" not in parsed.query:
        yield warning("redis", f"REDIS_URL names {parsed.hostname} without a password",
                      "give that server a password or an ACL user, and write it into REDIS_URL")  # fmt: skip
    if not parsed.scheme.startswith("rediss"):
        yield warning("redis", f"The way to {parsed.hostname} is not encrypted",
                      "use rediss:// unless that network is private")  # fmt: skip


def _channels(settings: Settings) -> Iterator[CheckFinding]:
    file, path = settings.file, settings.env.tailback_config
    if not path.exists():
        yield warning("configuration", f"There is no file {path}, so everything has its default",
                      "write it, or set TAILBACK_CONFIG; docs/reference/settings.md has an example")  # fmt: skip
    if not file.slack.channel:
        yield problem("configuration", "slack.channel is not set, so incidents have no place",
                      f"add [slack] channel = \"C…\" to {path}")  # fmt: skip
    if not file.slack.fallback_channel:
        yield warning("configuration", "slack.fallback_channel is not set: an archived channel would leave no thread",
                      f"add [slack] fallback_channel = \"C…\" to {path}")  # fmt: skip
    for channel, places in channels_of(settings).items():
        if not CHANNEL.fullmatch(channel):
            yield problem("configuration", f"{places}: {channel!r} is not a channel id",
                          "copy the id (C…) from the end of the channel's details in Slack")  # fmt: skip
    reached = {file.slack.channel, *(route.channel for route in file.route)}
    for sender in file.sender:
        if nowhere := [channel for channel in sender.channels if channel not in reached]:
            yield warning("configuration",
                          f'[[sender]] "{sender.name}": channels: no alert is routed to {listed(nowhere)}',
                          "name channels of [slack] and [[route]]")  # fmt: skip
    mentions = {file.slack.mention, *(route.mention for route in file.route)} - {""}
    for mention in sorted(mentions):
        if not GROUP.fullmatch(mention):
            yield warning("configuration", f"mention: {mention!r} is not a user group id", "write its id (S…)")


def _sns(settings: Settings) -> Iterator[CheckFinding]:
    topics = settings.file.sns.topics
    if "sns" in settings.file.model_fields_set and not topics:
        yield warning("configuration", "[sns] names no topic, so nothing that Amazon SNS sends is believed",
                      'add topics = ["arn:aws:sns:REGION:ACCOUNT:NAME"], or drop the table')  # fmt: skip
    for topic in topics:
        if not known_arn(topic):
            yield problem("configuration", f"sns.topics: {topic!r} is not the ARN of an SNS topic",
                          "copy it from the topic's page: arn:aws:sns:REGION:ACCOUNT:NAME")  # fmt: skip


def _pools(settings: Settings) -> Iterator[CheckFinding]:
    file = settings.file
    if not file.pool:
        yield warning("configuration", "No pool is configured, so threads have no figures and no drain is seen",
                      'add a table [pool."NAME"] for each runner label')  # fmt: skip
    blind = [name for name, pool in file.pool.items() if not pool.metrics]
    if blind:
        yield warning("configuration", f"No metrics source is named for {listed(blind)}: never measured, never drained",
                      "add metrics = \"NAME\" and the figures to the pool's table")  # fmt: skip
    unused = [name for name in file.metrics if not any(name in pool.metrics for pool in file.pool.values())]
    if unused:
        yield warning("configuration", f"No pool uses the metrics source {listed(unused)}",
                      "name it in a pool, or drop it")  # fmt: skip
    if not file.alertmanager:
        yield warning("configuration", "No [alertmanager.NAME] is configured, so Silence is not offered",
                      "add one with kind, url and token_env")  # fmt: skip


def _actions(settings: Settings) -> Iterator[CheckFinding]:
    file = settings.file
    scalable = [name for name, pool in file.pool.items() if pool.scaler and pool.scaler.get("kind") != "none"]
    if scalable and not file.permissions.scale:
        yield warning("configuration", f"{listed(scalable)} can be scaled, but permissions.scale is empty: nobody may",
                      'add [permissions] scale = ["S…"], user ids or user group ids')  # fmt: skip
    asking = [name for name in scalable if file.pool[name].scaler.get("approval_above") is not None]
    if asking and not file.permissions.approve:
        yield warning("configuration", f"{listed(asking)} needs approval, but permissions.approve is empty: nobody may",
                      'add [permissions] approve = ["S…"]')  # fmt: skip
    for name, allowed in file.permissions.model_dump().items():
        for who in allowed:
            if who != "anyone" and not PERSON.fullmatch(who) and not GROUP.fullmatch(who):
                yield problem("configuration", f"permissions.{name}: {who!r} is neither a user id nor a user group id",
                              'write U…, S… or "anyone"')  # fmt: skip
    if not file.actions.enabled:
        yield warning("configuration", "Actions are switched off (actions.enabled = false)",
                      "set it to true when the reason is over")  # fmt: skip
    if file.actions.shadow:
        yield warning("configuration", "Shadow mode is on (actions.shadow = true): nothing is really done",
                      "set it to false when the trial is over")  # fmt: skip


def _still_examples(given: dict[str, str]) -> Iterator[CheckFinding]:
    for name, value in given.items():
        if value in EXAMPLES:
            yield problem("environment", f"{name} still has the value of .env.example", "put the real value there")
