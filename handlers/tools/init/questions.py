"""Asks for what the options have not answered; each answer is checked at once."""

import json
import re
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import quote

import typer

from bot.config import ConfigError
from bot.ports import Refused, Unreachable
from handlers.doctor.check_settings import CHANNEL
from handlers.slack_app.manifest import manifest, public
from handlers.tools.init.files import InitAnswers, InitSender

CREATE = "https://api.slack.com/apps?new_app=1&manifest_json="
BOT = ("--bot-token", "SLACK_BOT_TOKEN", "Bot token, from OAuth & Permissions", "xoxb-")
APP = (*("--app-token", "SLACK_APP_TOKEN", "App-level token with connections:write, from Basic Information"), "xapp-")
SIGNING = ("--signing-secret", "SLACK_SIGNING_SECRET", "Signing secret, from Basic Information", "")
"""Option, variable, question, and how the secret begins."""
LABEL = "Runner label that your jobs wait for, if GitHub's webhooks can tell its queue; empty: name pools later"
SECRET = re.compile(r"[\w.~+/=:,@-]+")
"""What a secret may consist of, so that it needs no quotes in `.env`."""

Discover = Callable[[str, str], Awaitable[Sequence[tuple[str, str, str, str]]]]
"""(address of Prometheus, token) → what it knows of each pool; raises Unreachable or ConfigError."""


Check = Callable[[str], str]
"""An answer → the answer as it is used; raises Refused with the remedy."""


@dataclass
class Asker:
    """Asks a person on the terminal; without one only options and defaults count."""

    terminal: bool

    def ask(self, option: str, given: str | None, question: str, check: Check, default: str | None = None) -> str:
        """A checked answer: the option that was `given`, or what is asked for now, again after a wrong answer.

        Raises Refused for a wrong option, and without a terminal for one that is needed.
        """
        if given is None and not self.terminal:
            if default is None:
                raise Refused(f"{option} is needed: {question}. Nothing was written.")
            given = default
        if given is not None:
            return check(given)
        while True:
            try:
                return check(self.prompt(question, default))
            except Refused as refused:
                self.say(str(refused))

    def say(self, text: str) -> None:
        typer.echo(text)

    def show_link(self, words: str, address: str) -> None:
        """A terminal shows the words, which lead to the address (OSC 8); anything else gets the address."""
        typer.echo(f"\x1b]8;;{address}\x1b\\{words}\x1b]8;;\x1b\\\n" if self.terminal else f"{address}\n")

    def prompt(self, question: str, default: str | None) -> str:
        return str(typer.prompt(question, default=default, show_default=bool(default), type=str))


@dataclass(frozen=True, slots=True)
class InitOptions:
    """The answers that were given as options; None: ask."""

    url: str | None = None
    channel: str | None = None
    alerts: str | None = None
    prometheus: str | None = None
    pools: str = ""
    """Names with commas between."""
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    """By the name of the variable."""
    label: str | None = None
    """A runner label whose figures GitHub's webhooks tell, where there is no Prometheus."""


async def answered(options: InitOptions, asker: Asker, discover: Discover) -> InitAnswers:
    """Everything that the files are made from. Raises Refused for an option that cannot be used."""
    where = "Public https address where Slack reaches Tailback; empty for Socket Mode, which needs none"
    url, secret = asker.ask("--url", options.url, where, _url, ""), options.secrets
    channel = asker.ask("--channel", options.channel, "Channel id, at the bottom of the channel's details", _channel)
    senders = f"Who sends alerts: {', '.join(InitSender)}"
    alerts = InitSender(asker.ask("--alerts", options.alerts, senders, _sender, InitSender.ALERTMANAGER))
    answers = InitAnswers(channel, alerts)
    if alerts is not InitSender.GITHUB:
        answers = await _measured(answers, options, asker, discover)
    if not answers.prometheus and (
        unused := "--prometheus" if options.prometheus else "--pools" if options.pools else ""
    ):
        needs = "goes with other --alerts" if alerts is InitSender.GITHUB else "goes with --prometheus"
        raise Refused(f"{unused} {needs}. Nothing was written.")
    if not answers.prometheus and alerts is not InitSender.GITHUB:
        label = asker.ask("--label", options.label, LABEL, _label, "")
        answers = replace(answers, label=label)
    elif options.label:
        raise Refused("--label is for an installation without Prometheus and with other --alerts. Nothing was written.")
    asker.say("Create the Slack app, install it, and invite @tailback to your channel:")
    asker.show_link("Create the Slack app", f"{CREATE}{link(url)}")
    kept: dict[str, str] = {}
    for option, name, question, prefix in (BOT, SIGNING if url else APP):
        kept[name] = asker.ask(option, secret.get(name), question, _secret(option, prefix))
    kept["SLACK_API_URL"] = secret.get("SLACK_API_URL", "")
    made = (
        "TAILBACK_WEBHOOK_TOKEN",
        *(["GITHUB_WEBHOOK_SECRET"] if alerts is InitSender.GITHUB or answers.label else []),
    )
    kept |= {name: secret.get(name) or secrets.token_hex(32) for name in made}
    if answers.prometheus:
        kept["PROMETHEUS_TOKEN"] = secret.get("PROMETHEUS_TOKEN", "")
    return replace(answers, secrets=kept)


def link(url: str) -> str:
    """The manifest in the form that Slack's page for a new app reads from its address."""
    return quote(json.dumps(manifest(url or None), separators=(",", ":")), safe="")


async def _measured(answers: InitAnswers, options: InitOptions, asker: Asker, discover: Discover) -> InitAnswers:
    """The answers with Prometheus, and with the pools in it that the person wants."""
    while True:
        question = "Address of Prometheus; empty if there is none yet"
        if not (url := asker.ask("--prometheus", options.prometheus, question, str.strip, "")):
            return answers
        try:
            token = options.secrets.get("PROMETHEUS_TOKEN", "")
            known = {found[1]: found for found in await discover(url, token)}
            break
        except (Unreachable, ConfigError) as error:
            problem = f"{error}; correct the address, or leave it empty and name the pools later in tailback.toml."
            if options.prometheus is not None:
                raise Refused(f"--prometheus: {problem}") from None
            asker.say(problem)
    asker.say(f"Pools that Prometheus knows: {', '.join(known) or 'none with metrics that a preset reads'}.")

    def named(text: str) -> str:
        if strange := [name for name in _names(text) if name not in known]:
            raise Refused(f"Prometheus has no metrics of {', '.join(strange)} that a preset reads. Leave it out, and "
                          "add its queries to tailback.toml later (docs/reference/metrics.md).")  # fmt: skip
        return text

    given = options.pools or (None if known else "")
    chosen = asker.ask("--pools", given, "Pools to watch", named, ",".join(known))
    return replace(answers, prometheus=url, pools=tuple(known[name] for name in _names(chosen)))


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _url(text: str) -> str:
    try:
        return public(text) if text.strip() else ""
    except ValueError as error:
        raise Refused(f"--url: {error}.") from None


def _channel(text: str) -> str:
    if not CHANNEL.fullmatch(text.strip()):
        raise Refused(f"--channel: {text!r} is not a channel id. It begins with C and is at the bottom of the "
                      "channel's details.")  # fmt: skip
    return text.strip()


def _label(text: str) -> str:
    if "," in text or "\n" in text:
        raise Refused(f"--label: {text!r} is more than one label. Name one, and add others to tailback.toml later.")
    return text.strip()


def _sender(text: str) -> str:
    if text.strip() not in list(InitSender):
        raise Refused(f"--alerts: {text!r} is not known. Choose one of: {', '.join(InitSender)}.")
    return text.strip()


def _secret(option: str, prefix: str = "") -> Check:
    def check(text: str) -> str:
        if not text.strip().startswith(prefix) or not SECRET.fullmatch(text.strip()):
            begins = f"It begins with {prefix}. " if prefix else ""
            raise Refused(f"{option}: not the value that Slack shows. {begins}Copy it again.")
        return text.strip()

    return check
