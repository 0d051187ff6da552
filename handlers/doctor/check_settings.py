"""Checks configuration and environment, before anything is contacted."""

import re
from collections.abc import Iterable, Iterator
from urllib.parse import urlparse

from bot.config import Settings
from bot.core.external import Problem
from bot.core.words import listed
from bot.sources.sns import known_arn
from handlers.doctor.check_slips import misspelt, needless, swapped
from handlers.doctor.check_tokens import token_problems
from handlers.doctor.findings import CheckFinding, Level, ok, problem, warning

CHANNEL = re.compile(r"[CG][A-Z0-9]{2,20}")
GROUP = re.compile(r"S[A-Z0-9]{2,20}")
PERSON = re.compile(r"[UW][A-Z0-9]{2,20}")
EXAMPLES = {
    *("xoxb-your-bot-token", "your-signing-secret", "xapp-your-app-level-token"),
    *("a-long-random-value", "another-long-random-value"),
}
"""The values of .env.example."""
QUOTED = frozenset({"''", '""'})
UNQUOTE = "take them away: a container's env file keeps quotes"
WEAK = 16
"""Characters; a shorter random value may have less than 128 bits (C2)."""
HERE = frozenset({"localhost", "127.0.0.1", "::1", ""})


def of_settings(settings: Settings) -> list[CheckFinding]:
    """Missing, weak or contradictory settings, and one finding for each part in order."""
    environment = [*of_environment(settings), *_not_real(settings), *misspelt(settings)]
    configuration = [*_channels(settings), *_sns(settings), *_pools(settings), *_actions(settings), *needless(settings)]
    return [
        *(environment or [ok("environment", "All required variables are set")]),
        *(configuration or [ok("configuration", f"{settings.env.tailback_config} is complete")]),
    ]


def of_environment(settings: Settings, *, web: bool = True) -> list[CheckFinding]:
    """Missing or weak environment variables; a process without `web` needs only the bot token."""
    crossed = swapped(settings)
    slack = [crossed] if crossed else [*_bot_token(settings), *(_delivery(settings) if web else ())]
    return [*slack, *(_webhooks(settings) if web else ()), *of_redis_url(settings)]


def _not_real(settings: Settings) -> Iterator[CheckFinding]:
    names = ("slack_bot_token", "slack_app_token", "slack_signing_secret")
    given = [(name.upper(), getattr(settings.env, name).get_secret_value()) for name in names]
    for name, value in [*given, *_senders_secrets(settings)]:
        if value in EXAMPLES:
            yield problem("environment", f"{name} still has the value of .env.example", "set the real value")
        elif _quoted(value) and name not in {"SLACK_BOT_TOKEN", "SLACK_APP_TOKEN"}:
            yield warning("environment", f"{name} has quotes around it", UNQUOTE)
        elif value and not _quoted(value) and not (value.isascii() and value.strip().isprintable()):
            yield warning("environment", f"{name} has a line break or a letter that no token has", "copy it again")


def _quoted(value: str) -> bool:
    return len(value) > 1 and value[0] + value[-1] in QUOTED


def _senders_secrets(settings: Settings) -> Iterator[tuple[str, str]]:
    """The secrets that senders of alerts and events present or sign with, each with its name for people."""
    yield from (("TAILBACK_WEBHOOK_TOKEN", token) for token in settings.env.webhook_tokens)
    yield "TAILBACK_WEBHOOK_HMAC_SECRET", settings.env.tailback_webhook_hmac_secret.get_secret_value()
    yield from (("GITHUB_WEBHOOK_SECRET", one) for one in settings.env.github_secrets)
    yield from ((f'The token of [[sender]] "{one.name}"', token) for token, one in settings.sender_tokens)
    yield from ((f'The token of [api] "{one.name}"', token) for token, one in settings.api_tokens)


def unset(settings: Settings, *, web: bool) -> list[Problem]:
    """What keeps a process from its work: missing variables, and senders that cannot be told apart."""
    found = of_environment(settings, web=web)
    return [Problem(one.text, one.remedy) for one in found if one.state is Level.PROBLEM]


def groups_of(settings: Settings) -> dict[str, str]:
    """User group id → the settings that name it."""
    file = settings.file
    named = [(f"permissions.{name}", who) for name, allowed in file.permissions.model_dump().items() for who in allowed]
    named += [("slack.mention", file.slack.mention)]
    named += [(f"route {number}, mention", route.mention) for number, route in enumerate(file.route, 1)]
    return _places((place, group) for place, group in named if GROUP.fullmatch(group))


def channels_of(settings: Settings) -> dict[str, str]:
    """Channel id → the settings that name it."""
    slack = settings.file.slack
    named = [("slack.channel", slack.channel), ("slack.fallback_channel", slack.fallback_channel)]
    named += [(f"route {number}, channel", route.channel) for number, route in enumerate(settings.file.route, 1)]
    return _places((place, channel) for place, channel in named if channel)


def _places(named: Iterable[tuple[str, str]]) -> dict[str, str]:
    """(setting, its value) → each value with all the settings that have it."""
    found: dict[str, list[str]] = {}
    for place, value in named:
        found.setdefault(value, []).append(place)
    return {value: listed(places) for value, places in found.items()}


def _bot_token(settings: Settings) -> Iterator[CheckFinding]:
    bot = settings.env.slack_bot_token.get_secret_value()
    if not bot:
        create = "create the app with `tailback manifest`, install it and copy the bot token from OAuth & Permissions"
        yield problem("environment", "SLACK_BOT_TOKEN is not set", create)
    elif _quoted(bot):
        yield problem("environment", "SLACK_BOT_TOKEN has quotes around it", UNQUOTE)
    elif not bot.startswith("xoxb-"):
        copy = "copy the bot token from OAuth & Permissions"
        yield warning("environment", "SLACK_BOT_TOKEN does not begin with xoxb-", copy)


def _delivery(settings: Settings) -> Iterator[CheckFinding]:
    """How Slack's requests come in: signed by HTTP, or by Socket Mode."""
    app = settings.env.slack_app_token.get_secret_value()
    if _quoted(app):
        yield problem("environment", "SLACK_APP_TOKEN has quotes around it", UNQUOTE)
    elif app and not app.startswith("xapp-"):
        yield problem("environment", "SLACK_APP_TOKEN does not begin with xapp-",
                      "create an app-level token with connections:write under Basic Information")  # fmt: skip
    if not app and not settings.env.slack_signing_secret.get_secret_value():
        yield problem("environment", "Requests from Slack cannot be verified: SLACK_SIGNING_SECRET is not set",
                      "copy it from the app's Basic Information, or set SLACK_APP_TOKEN for Socket Mode")  # fmt: skip


def _webhooks(settings: Settings) -> Iterator[CheckFinding]:
    env = settings.env
    tokens, signing = env.webhook_tokens, env.tailback_webhook_hmac_secret.get_secret_value()
    own = settings.sender_tokens
    wrong = token_problems(settings)
    yield from (problem("environment", one.what, one.remedy) for one in wrong)
    if not tokens and not signing and not own:
        yield problem("environment", "Every alert is refused: TAILBACK_WEBHOOK_TOKEN is not set",
                      "choose a long random value (openssl rand -hex 32) and give it to the alert sender")  # fmt: skip
    if signing and not env.tailback_webhook_hmac_timestamp_header:
        captured = "A captured request from Grafana could be replayed: its signature has no timestamp"
        remedy = "set TAILBACK_WEBHOOK_HMAC_TIMESTAMP_HEADER, and the same header in Grafana's contact point"
        yield warning("environment", captured, remedy)
    if signing and not tokens and not own:
        yield warning("environment", "Alertmanager's alerts are refused: it cannot sign, and no token is set",
                      "set TAILBACK_WEBHOOK_TOKEN too, unless Grafana is the only sender")  # fmt: skip
    hooks = env.github_webhook_secret.get_secret_value()
    if not hooks and (fed := _fed_by_github(settings)):
        yield warning("environment", f"The jobs of {fed} are not seen: GITHUB_WEBHOOK_SECRET is not set",
                      "choose a long random value, and give it to a webhook for workflow jobs to /github")  # fmt: skip
    for name, value in _senders_secrets(settings):
        if value and len(value) < WEAK:
            yield warning("environment", f"{name} has fewer than {WEAK} characters and could be guessed",
                          "replace it with a long random value (openssl rand -hex 32)")  # fmt: skip


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
        yield warning("redis", f"Anybody who reaches {parsed.hostname} can change records: REDIS_URL has no password",
                      "give that server a password or an ACL user, and put it into REDIS_URL")  # fmt: skip
    if not parsed.scheme.startswith("rediss"):
        yield warning("redis", f"The connection to {parsed.hostname} is not encrypted",
                      "use rediss://, unless that network is private")  # fmt: skip


def _channels(settings: Settings) -> Iterator[CheckFinding]:
    file, path = settings.file, settings.env.tailback_config
    if not path.exists():
        yield warning("configuration", f"{path} does not exist, so every setting has its default",
                      "create it with `tailback init`, or set TAILBACK_CONFIG")  # fmt: skip
    if not file.slack.channel:
        yield problem("configuration", "Incidents have no channel: slack.channel is not set",
                      f"add [slack] channel = \"C…\" to {path}")  # fmt: skip
    if not file.slack.fallback_channel:
        yield warning("configuration", "An archived channel gets no thread: slack.fallback_channel is not set",
                      f"add [slack] fallback_channel = \"C…\" to {path}")  # fmt: skip
    for channel, places in channels_of(settings).items():
        if not CHANNEL.fullmatch(channel):
            yield problem("configuration", f"{places}: {channel!r} is not a channel id",
                          "copy the id (C…) from the end of the channel's details in Slack")  # fmt: skip
    reached = {file.slack.channel, *(route.channel for route in file.route)}
    for client in file.api.tokens if file.api else ():
        for channel in client.channels:
            if not CHANNEL.fullmatch(channel):
                yield problem("configuration", f'[api] "{client.name}": channels: {channel!r} is not a channel id',
                              "copy the id (C…) from the end of the channel's details in Slack")  # fmt: skip
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
        yield warning("configuration", "Every message from Amazon SNS is refused: [sns] names no topic",
                      'add topics = ["arn:aws:sns:REGION:ACCOUNT:NAME"], or delete the table')  # fmt: skip
    for topic in topics:
        if not known_arn(topic):
            yield problem("configuration", f"sns.topics: {topic!r} is not the ARN of an SNS topic",
                          "copy it from the topic's page: arn:aws:sns:REGION:ACCOUNT:NAME")  # fmt: skip


def _pools(settings: Settings) -> Iterator[CheckFinding]:
    file = settings.file
    if not file.pool:
        yield warning("configuration", "Threads show no figures and no drain: no pool is configured",
                      'add a table [pool."NAME"] for each runner label')  # fmt: skip
    blind = [name for name, pool in file.pool.items() if not pool.metrics]
    if blind:
        yield warning("configuration", f"No figures and no drain for {listed(blind)}: no metrics source is named",
                      "add metrics = \"NAME\" and the figures to the pool's table")  # fmt: skip
    unused = [name for name in file.metrics if not any(name in pool.metrics for pool in file.pool.values())]
    if unused:
        yield warning("configuration", f"No pool uses the metrics source {listed(unused)}",
                      "name it in a pool, or delete it")  # fmt: skip
    if not file.alertmanager:
        yield warning("configuration", "Silence is not offered: no [alertmanager.NAME] is configured",
                      "add one with kind, url and token_env")  # fmt: skip


def _actions(settings: Settings) -> Iterator[CheckFinding]:
    file = settings.file
    scalable = [name for name, pool in file.pool.items() if pool.scaler and pool.scaler.get("kind") != "none"]
    if scalable and not file.permissions.scale:
        yield warning("configuration", f"Nobody may scale {listed(scalable)}: permissions.scale is empty",
                      'add [permissions] scale = ["S…"], user ids or user group ids')  # fmt: skip
    asking = [name for name in scalable if file.pool[name].scaler.get("approval_above") is not None]
    if asking and not file.permissions.approve:
        yield warning("configuration", f"Nobody may approve for {listed(asking)}: permissions.approve is empty",
                      'add [permissions] approve = ["S…"]')  # fmt: skip
    for name, allowed in file.permissions.model_dump().items():
        for who in allowed:
            if who != "anyone" and not PERSON.fullmatch(who) and not GROUP.fullmatch(who):
                yield problem("configuration", f"permissions.{name}: {who!r} is neither a user id nor a user group id",
                              'write U…, S… or "anyone"')  # fmt: skip
    if not file.actions.enabled:
        yield warning("configuration", "Actions are switched off (actions.enabled = false)",
                      "set it to true to allow actions again")  # fmt: skip
    if file.actions.shadow:
        yield warning("configuration", "Actions are described, not done: shadow mode is on (actions.shadow = true)",
                      "set it to false to act")  # fmt: skip
