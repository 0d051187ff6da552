"""A person's hands and eyes in the local workspace, for tests that read as the incident did."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Self, TypeVar

import httpx

from bot.playground.slack.wire import Json, rows, table
from tests.patience import PATIENCE_SECONDS

Found = TypeVar("Found")

DEFAULT_USER = "U0ANA"
POLL_SECONDS, MOST_SECONDS = 0.02, 0.2
_INTERACTIVE = ("button", "overflow")
_WORDS = ("text", "title", "label")


class NotShownError(AssertionError):
    """What a test waited for did not appear; the message prints what was there instead."""


class RefusedError(AssertionError):
    """The workspace, or the app behind it, did not take what a person did; the message is what the person reads."""


def label_of(element: Mapping[str, object]) -> str:
    return str((table(element, "text") or table(element, "label")).get("text", ""))


def elements_of(blocks: Iterable[Json]) -> list[tuple[str, Json]]:
    """(id of its block, element) of all that can be pressed or filled in; feedback counts as two buttons."""
    found: list[tuple[str, Json]] = []
    for block in blocks:
        block_id = str(block.get("block_id", ""))
        for element in rows(block, "elements") if block.get("type") in ("actions", "context_actions") else ():
            thumbs = (table(element, name) for name in ("positive_button", "negative_button"))
            pressed = [{**each, "type": "button", "feedback": True, "action_id": element["action_id"]}
                       for each in thumbs if each]  # fmt: skip
            found += [(block_id, each) for each in pressed or [element]]
        found += [(block_id, element) for _, element in elements_of(rows(block, "child_blocks"))]
        found += [(block_id, table(block, key)) for key in ("accessory", "element") if key in block]
    return found


def words_of(value: object) -> list[str]:
    """All text in blocks, in reading order, without the labels of buttons and menus."""
    if isinstance(value, list):
        return [word for item in value for word in words_of(item)]
    if not isinstance(value, dict) or value.get("type") in _INTERACTIVE or "action_id" in value:
        return []
    words: list[str] = []
    for key, item in value.items():
        words += words_of(item) if not isinstance(item, str) else [item] if key in _WORDS else []
    return words


class Surface:
    """Something with blocks that can be read and clicked."""

    def __init__(self, slack: "SlackDriver", user: str) -> None:
        self.slack = slack
        self.user = user

    @property
    def blocks(self) -> list[Json]:
        raise NotImplementedError

    @property
    def buttons(self) -> list[str]:
        return [label_of(element) for _, element in elements_of(self.blocks) if element.get("type") == "button"]

    @property
    def choices(self) -> list[str]:
        """The entries of the overflow menus."""
        menus = [element for _, element in elements_of(self.blocks) if element.get("type") == "overflow"]
        return [label_of(option) for menu in menus for option in rows(menu, "options")]

    def _button(self, label: str) -> tuple[Json, Json]:
        """(what to send when it is pressed, the button)."""
        for block_id, element in elements_of(self.blocks):
            if element.get("type") == "button" and label_of(element) == label:
                return {"block_id": block_id, "action_id": element["action_id"]}, element
        raise NotShownError(f"no button {label!r}; there are {self.buttons}")

    def _option(self, label: str) -> Json:
        """What to send when this entry of a menu is chosen."""
        for block_id, element in elements_of(self.blocks):
            for option in rows(element, "options"):
                if label_of(option) == label:
                    return {"block_id": block_id, "action_id": element["action_id"], "selected_option": option}
        raise NotShownError(f"no menu entry {label!r}; there are {self.choices}")


class Message(Surface):
    """A message as last read; methods that act read it again first."""

    def __init__(
        self, slack: "SlackDriver", channel: str, data: Json, ephemeral: bool = False, user: str = DEFAULT_USER
    ) -> None:
        super().__init__(slack, user)
        self.channel = channel
        self.data = data
        self.ephemeral = ephemeral

    def __repr__(self) -> str:
        return f"<message {self.ts} {self.text!r} buttons={self.buttons}>"

    @property
    def ts(self) -> str:
        return str(self.data["ts"])

    @property
    def thread_ts(self) -> str:
        """The id of its parent, or its own."""
        return str(self.data.get("thread_ts", self.ts))

    @property
    def blocks(self) -> list[Json]:
        return rows(self.data, "blocks")

    @property
    def text(self) -> str:
        """Top-level text and all text in blocks."""
        return "\n".join([str(self.data.get("text", "")), *words_of(self.blocks)])

    async def read(self) -> Self:
        for each in await self.slack.messages(self.channel, self.user, ephemeral=self.ephemeral):
            if each.ts == self.ts:
                self.data = each.data
                return self
        raise NotShownError(f"the message {self.ts} is gone; it was {self.text!r}")

    async def click(self, label: str, user: str = DEFAULT_USER, *, stale: bool = False) -> Json:
        """Presses the button with this visible text; with `stale` as it was when last read, even if it is gone."""
        if not stale:
            await self.read()
        act, element = self._button(label)
        if element.get("feedback"):
            act["value"] = element["value"]
        if stale:
            act |= {"force": True, "value": element.get("value", "")}
        return await self._act(act, user)

    async def choose(self, label: str, user: str = DEFAULT_USER) -> Json:
        """Chooses an entry of the overflow menu, or of another menu, by its visible text."""
        await self.read()
        return await self._act(self._option(label), user)

    async def choose_more(self, label: str, user: str = DEFAULT_USER) -> Json:
        """Presses a button of the private answer to *More…*."""
        await self.choose("More…", user)
        return await (await self.slack.ephemeral(user, label)).click(label, user)

    async def _act(self, act: Json, user: str) -> Json:
        place: Json = {"user": user, "channel": self.channel, "ts": self.ts, "ephemeral": self.ephemeral}
        return await self.slack.post("click", {**place, **act})

    async def shortcut(self, callback_id: str, user: str = DEFAULT_USER) -> Json:
        request: Json = {"user": user, "channel": self.channel, "ts": self.ts, "callback_id": callback_id}
        return await self.slack.post("shortcut", request)

    async def until(self, condition: str | Callable[["Message"], bool], within: float = PATIENCE_SECONDS) -> Self:
        """Reads the same message again until it contains the text, or until the check holds."""
        holds = condition if callable(condition) else lambda message: condition in message.text

        async def again() -> list[Self]:
            return [await self.read()]

        return await self.slack.newest(again, holds, within, f"message with {condition!r}")

    async def replies(self) -> list["Message"]:
        """The replies of its thread, oldest first."""
        everything = await self.slack.messages(self.channel)
        return [each for each in everything if each.data.get("thread_ts") == self.thread_ts]

    async def reply(self, containing: str, within: float = PATIENCE_SECONDS) -> "Message":
        """Waits for a reply of the bot that contains the text; the newest such."""
        return await self.slack.newest(
            self.replies, lambda one: one.data["bot"] and containing in one.text, within, f"reply with {containing!r}"
        )


class View(Surface):
    """A modal on a person's screen, or App Home."""

    def __init__(self, slack: "SlackDriver", user: str, view_id: str, content: Json, errors: Json) -> None:
        super().__init__(slack, user)
        self.id = view_id
        self.content = content
        self.errors = errors
        self._filled: dict[str, Json] = {}

    def __repr__(self) -> str:
        return f"<view {self.title!r} {self.text!r}>"

    @property
    def blocks(self) -> list[Json]:
        return rows(self.content, "blocks")

    @property
    def title(self) -> str:
        return str(table(self.content, "title").get("text", ""))

    @property
    def text(self) -> str:
        return "\n".join([self.title, *words_of(self.blocks)])

    @property
    def labels(self) -> list[str]:
        return [label_of(block) for block in self.blocks if block.get("type") == "input"]

    def options(self, label: str) -> list[str]:
        """The texts of the options of the input with this label."""
        found = next(block for block in self.blocks if label_of(block) == label)
        return [label_of(option) for option in rows(table(found, "element"), "options")]

    async def fill(self, label: str, value: object) -> Self:
        """Fills in the input with this label: a text, a number, or the text of an option."""
        for block in self.blocks:
            element = table(block, "element")
            if not element or label_of(block) != label:
                continue
            state: Json = {"type": element["type"], "value": str(value)}
            if element["type"] in {"static_select", "radio_buttons"}:
                options = {label_of(option): option for option in rows(element, "options")}
                state = {"type": element["type"], "selected_option": options[str(value)]}
            self._filled.setdefault(str(block["block_id"]), {})[str(element["action_id"])] = state
            return self
        raise NotShownError(f"no input {label!r} in {self.title!r}; there are {self.labels}")

    async def submit(self) -> Json:
        """Submits; gives the errors by block id, none when the app took it."""
        self.errors = table(await self._act("submit", {"values": dict(self._filled)}), "errors")
        return self.errors

    async def close(self) -> None:
        await self._act("close", {})

    async def click(self, label: str) -> Json:
        return await self._act("click", self._button(label)[0])

    async def choose(self, label: str) -> Json:
        return await self._act("click", self._option(label))

    async def _act(self, act: str, what: Json) -> Json:
        return await self.slack.post(act, {"user": self.user, "view_id": self.id, **what})


async def total(scale_up: View, runners: int) -> None:
    """Asks for another total in the dialog of Scale up; its answer replaces the dialog."""
    label = next(one for one in scale_up.labels if one.startswith("New total for"))
    await scale_up.fill(label, next(one for one in scale_up.options(label) if one.startswith("Another total")))
    await scale_up.fill("Another total", runners)
    assert await scale_up.submit() == {}


class ChannelView:
    """A channel as people see it."""

    def __init__(self, slack: "SlackDriver", name: str) -> None:
        self.slack = slack
        self.name = name

    async def messages(self) -> list[Message]:
        """All messages, replies among them, oldest first."""
        return await self.slack.messages(self.name)

    async def parents(self) -> list[Message]:
        """The root messages of the bot, oldest first."""
        return [each for each in await self.messages() if each.data["bot"] and "thread_ts" not in each.data]

    async def parent(self, containing: str, within: float = PATIENCE_SECONDS) -> Message:
        """Waits for a root message of the bot that contains the text; the newest such."""
        what = f"root message with {containing!r} in #{self.name}"
        return await self.slack.newest(self.parents, lambda one: containing in one.text, within, what)


class SlackDriver:
    """The local workspace at `base_url`, in this process or another. Use it as an async context manager."""

    def __init__(self, base_url: str) -> None:
        self.base_url = base_url.rstrip("/")
        self._client = httpx.AsyncClient(base_url=self.base_url, timeout=30.0, trust_env=False, verify=False)
        self._screens: dict[str, Json] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self._client.aclose()

    def channel(self, name: str) -> ChannelView:
        """A channel by name or id."""
        return ChannelView(self, name)

    async def screen(self, user: str = DEFAULT_USER) -> Json:
        """All that a person sees, as `/ui/state` tells it."""
        known = self._screens.get(user)
        parameters = {"user": user} if known is None else {"user": user, "since": str(known["seq"])}
        fresh: Json = (await self._client.get("/ui/state", params=parameters)).raise_for_status().json()
        if known is not None and fresh.get("unchanged"):
            return known
        self._screens[user] = fresh
        return fresh

    async def messages(self, channel: str, user: str = DEFAULT_USER, *, ephemeral: bool = False) -> list[Message]:
        """The messages of a channel, or the ephemeral ones of a person in it."""
        place = await self._place(channel, user)
        if place is None:
            there = [each["name"] for each in rows(await self.screen(user), "channels")]
            raise NotShownError(f"no channel {channel!r}; there are {there}")
        if ephemeral:
            return [each for each in await self._ephemerals(user) if each.channel == place["id"]]
        return [Message(self, str(place["id"]), data, user=user) for data in rows(place, "messages")]

    async def _ephemerals(self, user: str) -> list[Message]:
        mine = rows(await self.screen(user), "ephemerals")
        return [Message(self, str(data["channel"]), data, ephemeral=True, user=user) for data in mine]

    async def _place(self, channel: str, user: str = DEFAULT_USER) -> Json | None:
        """A channel as a person sees it, by name or id; `tailback` is the conversation with the app."""
        places, name = rows(await self.screen(user), "channels"), channel.lstrip("#")
        return next((each for each in places if name in (each["id"], each["name"])), None)

    async def post(self, act: str, request: Json) -> Json:
        """Does something in the workspace.

        Raises:
            RefusedError: with the sentence that the person reads.
        """
        answer: Json = (await self._client.post(f"/ui/{act}", json=request)).json()
        if not answer.get("ok"):
            raise RefusedError(str(answer.get("error")))
        return answer

    async def slash(self, command: str, text: str = "", user: str = DEFAULT_USER, channel: str = "ci") -> Json:
        place = await self._channel_id(channel, user)
        return await self.post("slash", {"user": user, "channel": place, "command": command, "text": text})

    async def say(
        self, text: str, user: str = DEFAULT_USER, channel: str = "ci", thread: Message | None = None
    ) -> Json:
        """Writes a message in a channel or in a thread."""
        place = thread.channel if thread is not None else await self._channel_id(channel, user)
        request: Json = {"user": user, "channel": place, "text": text}
        if thread is not None:
            request["thread_ts"] = thread.thread_ts
        return await self.post("say", request)

    async def mention(
        self, text: str, thread: Message | None = None, user: str = DEFAULT_USER, channel: str = "ci"
    ) -> Json:
        """Writes `@tailback text`."""
        return await self.say(f"@tailback {text}", user, channel, thread)

    async def _channel_id(self, channel: str, user: str) -> str:
        place = await self._place(channel, user)
        return channel if place is None else str(place["id"])

    async def ephemeral(
        self, user: str = DEFAULT_USER, containing: str = "", within: float = PATIENCE_SECONDS
    ) -> Message:
        """Waits for a message that only this person sees; the newest that contains the text."""
        what = f"ephemeral message with {containing!r} for {user}"
        return await self.newest(lambda: self._ephemerals(user), lambda one: containing in one.text, within, what)

    async def modal(self, user: str = DEFAULT_USER, title: str = "", within: float = PATIENCE_SECONDS) -> View:
        """Waits for an open modal of this person whose title contains `title`; the topmost such."""

        async def modals() -> list[View]:
            entries = rows(await self.screen(user), "views")
            return [View(self, user, str(each["id"]), table(each, "view"), table(each, "errors")) for each in entries]

        return await self.newest(modals, lambda one: title in one.title, within, f"modal {title!r} for {user}")

    async def home(self, user: str = DEFAULT_USER, containing: str = "", within: float = PATIENCE_SECONDS) -> View:
        """Opens App Home and waits until it shows the text."""
        await self.post("home", {"user": user})

        async def homes() -> list[View]:
            content = table(await self.screen(user), "home")
            return [View(self, user, str(content["id"]), content, {})] if content else []

        return await self.newest(homes, lambda one: containing in one.text, within, f"App Home with {containing!r}")

    async def log(self, method: str | None = None, since: int = 0) -> list[Json]:
        """The requests that the app made, in order of arrival, of one method if it is named."""
        answer: Json = (await self._client.get("/ui/log", params={"since": since})).raise_for_status().json()
        return [each for each in rows(answer, "requests") if method in (None, each["method"])]

    async def newest(
        self, every: Callable[[], Awaitable[list[Found]]], fits: Callable[[Found], object], within: float, what: str
    ) -> Found:
        """Waits until one of them fits, and gives the last such.

        Raises:
            NotShownError: after `within` seconds, with what was there instead.
        """
        seen: list[Found] = []

        async def look() -> Found | None:
            seen[:] = await every()
            return next((each for each in reversed(seen) if fits(each)), None)

        return await self.wait(look, within, what, lambda: str(seen))

    async def wait(
        self, look: Callable[[], Awaitable[Found | None]], within: float, what: str, there: Callable[[], str]
    ) -> Found:
        """Looks until there is something: every 20 ms, and less often after a while, so that a tenth may be added.

        Raises:
            NotShownError: after `within` seconds, with what was there instead.
        """
        loop = asyncio.get_running_loop()
        begun = loop.time()
        while True:
            found = await look()
            if found is not None:
                return found
            if (waited := loop.time() - begun) > within:
                raise NotShownError(f"no {what} within {within:g} s; there was: {there()}")
            await asyncio.sleep(min(max(POLL_SECONDS, waited / 10), MOST_SECONDS))
