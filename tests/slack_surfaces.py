"""What a person sees in the local workspace and can touch: messages, modals, App Home."""

from collections.abc import Awaitable, Callable
from typing import Protocol, Self, TypeVar

from tests.patience import PATIENCE_SECONDS
from tests.slack_blocks import Json, NotShownError, elements_of, held, label_of, listed, state_of, words_of

Found = TypeVar("Found")

DEFAULT_USER = "U0ANA"


class Workspace(Protocol):
    """What a surface needs of the driver."""

    async def messages(self, channel: str, user: str = ..., *, ephemeral: bool = ...) -> "list[Message]": ...

    async def post(self, act: str, request: Json) -> Json: ...

    async def wait(
        self, look: Callable[[], Awaitable[Found | None]], within: float, what: str, there: Callable[[], str]
    ) -> Found: ...


class Surface:
    """Something with blocks that can be read and clicked."""

    def __init__(self, slack: Workspace) -> None:
        self.slack = slack

    @property
    def blocks(self) -> list[Json]:
        raise NotImplementedError

    @property
    def buttons(self) -> list[str]:
        return [label_of(element) for _, element in elements_of(self.blocks) if element.get("type") == "button"]

    @property
    def choices(self) -> list[str]:
        menus = [element for _, element in elements_of(self.blocks) if element.get("type") == "overflow"]
        return [label_of(option) for menu in menus for option in listed(menu, "options")]

    def _button(self, label: str) -> tuple[str, Json]:
        for block_id, element in elements_of(self.blocks):
            if element.get("type") == "button" and label_of(element) == label:
                return block_id, element
        raise NotShownError(f"no button {label!r}; there are {self.buttons}")

    def _option(self, label: str) -> tuple[str, Json, Json]:
        for block_id, element in elements_of(self.blocks):
            for option in listed(element, "options"):
                if label_of(option) == label:
                    return block_id, element, option
        raise NotShownError(f"no menu entry {label!r}; there are {self.choices}")


class Message(Surface):
    """A message as last read; methods that act read it again first."""

    def __init__(self, slack: Workspace, channel: str, data: Json, ephemeral: bool = False, user: str = "") -> None:
        super().__init__(slack)
        self.channel = channel
        self.data = data
        self.ephemeral = ephemeral
        self.user = user

    def __repr__(self) -> str:
        return f"<message {self.ts} {self.text!r} buttons={self.buttons}>"

    @property
    def ts(self) -> str:
        return str(self.data["ts"])

    @property
    def thread_ts(self) -> str:
        return str(self.data.get("thread_ts", self.ts))

    @property
    def blocks(self) -> list[Json]:
        return listed(self.data, "blocks")

    @property
    def text(self) -> str:
        return "\n".join([str(self.data.get("text", "")), *words_of(self.blocks)])

    async def read(self) -> Self:
        for each in await self.slack.messages(self.channel, self.user or DEFAULT_USER, ephemeral=self.ephemeral):
            if each.ts == self.ts:
                self.data = each.data
                return self
        raise NotShownError(f"the message {self.ts} is gone; it was {self.text!r}")

    async def click(self, label: str, user: str = DEFAULT_USER, *, confirm: bool = True, stale: bool = False) -> Json:
        """Presses the button with this visible text and answers its confirm dialog, if it has one.

        `confirm=False` answers "no" and sends nothing. `stale=True` presses the button as it was when last read,
        even if it is gone.
        """
        if not stale:
            await self.read()
        block_id, element = self._button(label)
        if "confirm" in element and not confirm:
            return {"ok": True, "sent": False}
        act: Json = {"block_id": block_id, "action_id": element["action_id"]}
        if element.get("feedback"):
            act["value"] = element["value"]
        if stale:
            act |= {"force": True, "value": element.get("value", "")}
        return await self._act(act, user)

    async def choose(self, label: str, user: str = DEFAULT_USER) -> Json:
        """Chooses an entry of the overflow menu, or of another menu, by its visible text."""
        await self.read()
        block_id, element, option = self._option(label)
        return await self._act(
            {"block_id": block_id, "action_id": element["action_id"], "selected_option": option}, user
        )

    async def _act(self, act: Json, user: str) -> Json:
        place: Json = {"user": user, "channel": self.channel, "ts": self.ts, "ephemeral": self.ephemeral}
        return await self.slack.post("click", {**place, **act})

    async def shortcut(self, callback_id: str, user: str = DEFAULT_USER) -> Json:
        request: Json = {"user": user, "channel": self.channel, "ts": self.ts, "callback_id": callback_id}
        return await self.slack.post("shortcut", request)

    async def until(self, wanted: str | Callable[["Message"], bool], within: float = PATIENCE_SECONDS) -> Self:
        """Reads the same message again until it contains the text, or until the check holds."""

        async def look() -> bool | None:
            await self.read()
            holds = wanted in self.text if isinstance(wanted, str) else wanted(self)
            return True if holds else None

        await self.slack.wait(look, within, f"message with {wanted!r}", lambda: repr(self))
        return self

    async def until_gone(self, unwanted: str, within: float = PATIENCE_SECONDS) -> Self:
        """Reads the same message again until it does not contain the text any more."""
        return await self.until(lambda message: unwanted not in message.text, within)

    async def replies(self) -> list["Message"]:
        """The replies of its thread, oldest first."""
        everything = await self.slack.messages(self.channel)
        return [each for each in everything if each.data.get("thread_ts") == self.thread_ts]

    async def reply(self, containing: str, within: float = PATIENCE_SECONDS) -> "Message":
        """Waits for a reply of the bot that contains the text; the newest such."""
        seen: list[Message] = []

        async def look() -> Message | None:
            seen[:] = await self.replies()
            return next((each for each in reversed(seen) if each.data["bot"] and containing in each.text), None)

        return await self.slack.wait(look, within, f"reply with {containing!r}", lambda: f"replies {seen}")


class View(Surface):
    """A modal on a person's screen, or App Home."""

    def __init__(self, slack: Workspace, user: str, view_id: str, content: Json, errors: Json) -> None:
        super().__init__(slack)
        self.user = user
        self.id = view_id
        self.content = content
        self.errors = errors
        self._filled: dict[str, Json] = {}

    @property
    def blocks(self) -> list[Json]:
        return listed(self.content, "blocks")

    @property
    def title(self) -> str:
        return str(held(self.content, "title").get("text", ""))

    @property
    def text(self) -> str:
        return "\n".join([self.title, *words_of(self.blocks)])

    @property
    def labels(self) -> list[str]:
        return [label_of(block) for block in self.blocks if block.get("type") == "input"]

    async def fill(self, label: str, value: object) -> Self:
        """Fills in the input with this label: text, number, option text, list of option texts, time."""
        for block in self.blocks:
            element = held(block, "element") or held(block, "accessory")
            if element and label_of(block) == label:
                state = state_of(element, value)
                of_block = self._filled.setdefault(str(block["block_id"]), {})
                of_block[str(element["action_id"])] = {"type": element["type"], **state}
                return self
        raise NotShownError(f"no input {label!r} in {self.title!r}; there are {self.labels}")

    async def submit(self) -> Json:
        """Submits; gives the errors by block id, none when the app took it."""
        values: Json = dict(self._filled)
        answer = await self.slack.post("submit", {"user": self.user, "view_id": self.id, "values": values})
        self.errors = held(answer, "errors")
        return self.errors

    async def close(self) -> None:
        await self.slack.post("close", {"user": self.user, "view_id": self.id})

    async def click(self, label: str) -> Json:
        block_id, element = self._button(label)
        act: Json = {"block_id": block_id, "action_id": element["action_id"]}
        return await self.slack.post("click", {"user": self.user, "view_id": self.id, **act})

    async def choose(self, label: str) -> Json:
        block_id, element, option = self._option(label)
        act: Json = {"block_id": block_id, "action_id": element["action_id"], "selected_option": option}
        return await self.slack.post("click", {"user": self.user, "view_id": self.id, **act})
