"""A person's hands and eyes in the local workspace, for tests that read as the incident did."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Self

import httpx

from tests.patience import PATIENCE_SECONDS
from tests.slack_blocks import Json, NotShownError, RefusedError, held, listed
from tests.slack_surfaces import DEFAULT_USER, Found, Message, View

__all__ = ["ChannelView", "Message", "NotShownError", "RefusedError", "SlackDriver", "View"]

POLL_SECONDS, MOST_SECONDS = 0.02, 0.2


class ChannelView:
    """A channel as people see it."""

    def __init__(self, slack: "SlackDriver", name: str) -> None:
        self.slack = slack
        self.name = name

    async def messages(self) -> list[Message]:
        return await self.slack.messages(self.name)

    async def parents(self) -> list[Message]:
        """The root messages of the bot, oldest first."""
        return [each for each in await self.messages() if each.data["bot"] and "thread_ts" not in each.data]

    async def parent(self, containing: str, within: float = PATIENCE_SECONDS) -> Message:
        """Waits for a root message of the bot that contains the text; the newest such."""
        seen: list[Message] = []

        async def look() -> Message | None:
            seen[:] = await self.parents()
            return next((each for each in reversed(seen) if containing in each.text), None)

        return await self.slack.wait(
            look, within, f"root message with {containing!r} in #{self.name}", lambda: str(seen)
        )


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
        screen = await self.screen(user)
        name = channel.lstrip("#")
        for each in listed(screen, "channels"):
            if name not in (each["id"], each["name"]):
                continue
            channel_id = str(each["id"])
            if not ephemeral:
                return [Message(self, channel_id, data) for data in listed(each, "messages")]
            mine = [data for data in listed(screen, "ephemerals") if data["channel"] == channel_id]
            return [Message(self, channel_id, data, ephemeral=True, user=user) for data in mine]
        raise NotShownError(
            f"no channel {channel!r}; there are {[each['name'] for each in listed(screen, 'channels')]}"
        )

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
        place = await self._channel_id(channel)
        return await self.post("slash", {"user": user, "channel": place, "command": command, "text": text})

    async def say(
        self, text: str, user: str = DEFAULT_USER, channel: str = "ci", thread: Message | None = None
    ) -> Json:
        place = thread.channel if thread is not None else await self._channel_id(channel)
        request: Json = {"user": user, "channel": place, "text": text}
        if thread is not None:
            request["thread_ts"] = thread.thread_ts
        return await self.post("say", request)

    async def mention(
        self, text: str, thread: Message | None = None, user: str = DEFAULT_USER, channel: str = "ci"
    ) -> Json:
        """Writes `@tailback text`."""
        return await self.say(f"@tailback {text}", user, channel, thread)

    async def _channel_id(self, channel: str) -> str:
        screen = await self.screen()
        for each in listed(screen, "channels"):
            if channel.lstrip("#") in (each["id"], each["name"]):
                return str(each["id"])
        return channel

    async def ephemeral(
        self, user: str = DEFAULT_USER, containing: str = "", within: float = PATIENCE_SECONDS
    ) -> Message:
        """Waits for a message that only this person sees; the newest that contains the text."""
        seen: list[Message] = []

        async def look() -> Message | None:
            mine = listed(await self.screen(user), "ephemerals")
            seen[:] = [Message(self, str(data["channel"]), data, ephemeral=True, user=user) for data in mine]
            return next((each for each in reversed(seen) if containing in each.text), None)

        return await self.wait(look, within, f"ephemeral message with {containing!r} for {user}", lambda: str(seen))

    async def modal(self, user: str = DEFAULT_USER, title: str = "", within: float = PATIENCE_SECONDS) -> View:
        """Waits for an open modal of this person whose title contains `title`; the topmost such."""
        seen: list[View] = []

        async def look() -> View | None:
            entries = listed(await self.screen(user), "views")
            seen[:] = [View(self, user, str(each["id"]), held(each, "view"), held(each, "errors")) for each in entries]
            return next((each for each in reversed(seen) if title in each.title), None)

        return await self.wait(
            look, within, f"modal {title!r} for {user}", lambda: f"modals {[each.title for each in seen]}"
        )

    async def home(self, user: str = DEFAULT_USER, containing: str = "", within: float = PATIENCE_SECONDS) -> View:
        await self.post("home", {"user": user})
        seen: list[str] = []

        async def look() -> View | None:
            content = held(await self.screen(user), "home")
            view = View(self, user, str(content.get("id", "")), content, {})
            seen[:] = [view.text]
            return view if content and containing in view.text else None

        return await self.wait(look, within, f"App Home with {containing!r}", lambda: str(seen))

    async def log(self, method: str | None = None, since: int = 0) -> list[Json]:
        """The requests that the app made, in order of arrival, of one method if it is named."""
        answer: Json = (await self._client.get("/ui/log", params={"since": since})).raise_for_status().json()
        return [each for each in listed(answer, "requests") if method in (None, each["method"])]

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
