"""Actions of people in the workspace: click, choose, type, mention, open App Home; each becomes a delivery."""

import re
from dataclasses import dataclass

from bot.playground.slack.delivery.delivery import DeliveryAnswer, SlackDelivery
from bot.playground.slack.delivery.replies import acknowledgement
from bot.playground.slack.page_api.interactions import Payloads, action_of
from bot.playground.slack.page_api.modals import elements_of
from bot.playground.slack.people import Channel
from bot.playground.slack.settings import AppContext
from bot.playground.slack.wire import Json, SlackError, flag, rows, table, text


class CannotError(Exception):
    """Something the client would not let a person do; the sentence is for that person."""


@dataclass(frozen=True, slots=True)
class ClickOutcome:
    """The app's reaction; `status` is the HTTP status of its answer, 0 without one."""

    ok: bool
    status: int = 0
    error: str | None = None


def outcome_of(answer: DeliveryAnswer, what: str, limit_seconds: float) -> ClickOutcome:
    """The app's answer in words."""
    if answer.problem is None:
        return ClickOutcome(True, answer.status)
    reasons = {
        "http_timeout": f"the app did not answer within {limit_seconds:g} seconds",
        "connection_failed": "the app could not be reached",
    }
    reason = reasons.get(answer.problem, f"the app answered with HTTP {answer.status}")
    return ClickOutcome(False, answer.status, f"{what} failed: {reason}.")


def person_of(slack: AppContext, request: Json) -> str:
    """The acting person's id. Raises CannotError: nobody has it."""
    user = text(request, "user")
    if user not in slack.workspace.persons:
        raise CannotError(f"There is no person {user or '(none given)'} in this workspace.")
    return user


def channel_of(slack: AppContext, request: Json) -> Channel:
    """The channel of the act, by id or `#name`. Raises CannotError: there is none."""
    try:
        return slack.workspace.channel(text(request, "channel"))
    except SlackError:
        raise CannotError(f"There is no channel {text(request, 'channel') or '(none given)'}.") from None


def _message_of(slack: AppContext, request: Json, channel: Channel, user: str) -> tuple[Json, bool]:
    """The message that is acted on, and whether it is ephemeral; `ephemeral` may be left out of the request."""
    whispered = slack.workspace.whispered(text(request, "ts"))
    if whispered is not None and whispered.user == user and whispered.channel == channel.id:
        return whispered.message, True
    try:
        return slack.workspace.find(channel, text(request, "ts")), False
    except SlackError:
        raise CannotError("This message is no longer there.") from None


def _element(blocks: list[Json], block_id: str, action_id: str) -> tuple[str, Json] | None:
    for block in blocks:
        if block_id and block.get("block_id") != block_id:
            continue
        for element in elements_of(block):
            if element.get("action_id") == action_id:
                return text(block, "block_id"), element
    return None


def _chosen(element: Json, request: Json) -> Json:
    """The request with the chosen option as it is stored in the element, since a client cannot send another."""
    option = table(request, "selected_option")
    if not option:
        return request
    for each in rows(element, "options"):
        if each.get("value") == option.get("value"):
            return {**request, "selected_option": each}
    raise CannotError("This choice is no longer in the menu.")


class People:
    """All actions of people except submitting and closing modals."""

    def __init__(self, slack: AppContext, delivery: SlackDelivery, payloads: Payloads) -> None:
        self._slack = slack
        self._delivery = delivery
        self._payloads = payloads

    async def click(self, request: Json) -> ClickOutcome:
        """A button, an overflow entry or a menu, in a message, a modal or App Home.

        Raises CannotError: it is not on the screen any more, unless the request says `force`.
        """
        user = person_of(self._slack, request)
        payload = self._view_click(user, request) if request.get("view_id") else self._message_click(user, request)
        return await self._interact("interactive", payload, "The click")

    def _message_click(self, user: str, request: Json) -> Json:
        channel = channel_of(self._slack, request)
        message, ephemeral = _message_of(self._slack, request, channel, user)
        block_id, element, click = self._aim(rows(message, "blocks"), request)
        return self._payloads.message_click(user, channel, message, action_of(block_id, element, click), ephemeral)

    def _view_click(self, user: str, request: Json) -> Json:
        try:
            view = self._slack.workspace.views.get(text(request, "view_id"))
        except SlackError:
            raise CannotError("This view is no longer open.") from None
        block_id, element, click = self._aim(rows(view.content, "blocks"), request)
        return self._payloads.view_click(user, view, action_of(block_id, element, click))

    def _aim(self, blocks: list[Json], request: Json) -> tuple[str, Json, Json]:
        """The element that was pressed; an edit in that very moment gives its block a new id, and the press counts."""
        action_id = text(request, "action_id")
        found = _element(blocks, text(request, "block_id"), action_id) or _element(blocks, "", action_id)
        if flag(request, "force"):
            block_id, element = found or (text(request, "block_id") or "gone", {"type": "button"})
            forced: Json = {key: request[key] for key in ("type", "value") if key in request}
            return block_id, {**element, "action_id": text(request, "action_id"), **forced}, request
        if found is None:
            raise CannotError("This button is no longer on the message.")
        return found[0], found[1], _chosen(found[1], request)

    async def shortcut(self, request: Json) -> ClickOutcome:
        """A message shortcut."""
        user, channel = person_of(self._slack, request), channel_of(self._slack, request)
        message, ephemeral = _message_of(self._slack, request, channel, user)
        if ephemeral:
            raise CannotError("Message shortcuts do not work on messages that only you can see.")
        payload = self._payloads.message_shortcut(user, channel, message, text(request, "callback_id"))
        return await self._interact("interactive", payload, "The shortcut")

    async def slash(self, request: Json) -> ClickOutcome:
        """A slash command in a channel; the page sends only those of the app, and none from a thread."""
        user, channel = person_of(self._slack, request), channel_of(self._slack, request)
        command = text(request, "command")
        words = self._escaped(text(request, "text"), with_names=True)
        payload = self._payloads.slash(user, channel, command, words)
        answer = await self._delivery.interaction("slash_commands", payload)
        if answer.problem is None:
            self._acknowledge(channel, user, answer)
        return outcome_of(answer, command, self._slack.settings.answer_within_seconds)

    def _acknowledge(self, channel: Channel, user: str, answer: DeliveryAnswer) -> None:
        try:
            acknowledgement(self._slack, channel, user, answer.content)
        except SlackError as refused:
            raise CannotError(f"The app's answer is not a message Slack would show: {refused.code}.") from None

    async def say(self, request: Json) -> ClickOutcome:
        """A person's message; the app hears a mention in a channel that it is a member of, and its direct messages."""
        user, channel = person_of(self._slack, request), channel_of(self._slack, request)
        workspace = self._slack.workspace
        body = self._escaped(text(request, "text"))
        if not body.strip():
            raise CannotError("A message needs text.")
        team_id = workspace.persons[user].team_id
        message: Json = {"type": "message", "user": user, "team": team_id, "text": body}
        workspace.write(channel, message, text(request, "thread_ts") or None)
        if channel.is_im:
            return await self._direct(channel, message)
        bot = workspace.bot.user_id
        heard = bot in channel.members and "app_mentions:read" in self._slack.settings.scopes
        if f"<@{bot}>" not in body or not heard:
            return ClickOutcome(True, 200)
        answer = await self._delivery.event(self._payloads.mention(channel, message))
        return outcome_of(answer, "The mention", self._slack.settings.answer_within_seconds)

    async def _direct(self, channel: Channel, message: Json) -> ClickOutcome:
        if "im:history" not in self._slack.settings.scopes:
            return ClickOutcome(True, 200)
        answer = await self._delivery.event(self._payloads.direct_message(channel, message))
        return outcome_of(answer, "The message", self._slack.settings.answer_within_seconds)

    async def home(self, request: Json) -> ClickOutcome:
        """Opens App Home."""
        user = person_of(self._slack, request)
        answer = await self._delivery.event(self._payloads.home_opened(user))
        return outcome_of(answer, "Opening the Home tab", self._slack.settings.answer_within_seconds)

    async def _interact(self, kind: str, payload: Json, what: str) -> ClickOutcome:
        answer = await self._delivery.interaction(kind, payload)
        return outcome_of(answer, what, self._slack.settings.answer_within_seconds)

    def _escaped(self, words: str, with_names: bool = False) -> str:
        """`@name` and `#channel` as ids, the way the client writes them (`should_escape: true` for commands)."""
        workspace = self._slack.workspace
        ids = {person.name: person.id for person in workspace.persons.values()}
        ids[workspace.bot.name] = workspace.bot.user_id
        channels = {channel.name: channel.id for channel in workspace.channels.values() if channel.name}

        def user(match: re.Match[str]) -> str:
            found = ids.get(match[1])
            if found is None:
                return match[0]
            return f"<@{found}|{match[1]}>" if with_names else f"<@{found}>"

        def room(match: re.Match[str]) -> str:
            return f"<#{channels[match[1]]}|{match[1]}>" if match[1] in channels else match[0]

        return re.sub(r"(?<![\w<#])#([\w-]+)", room, re.sub(r"(?<![\w<@])@([\w-]+)", user, words))
