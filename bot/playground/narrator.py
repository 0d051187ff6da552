"""Narrates the demo in the terminal: what happens, and what to look at next."""

from collections.abc import Iterator

from bot.playground.slack.workspace import Workspace

LONGEST_LINE = 150
HINTS = (
    ("OPEN", "Open its thread on the page: who queues, since when, and what can be pressed."),
    ("EASING", "The alert is over, the queue is not: the thread stays until it has drained."),
    ("DRAINED", "Done. The first message keeps the peak and who did what. Try another story: tailback demo --list"),
)


class Narrator:
    """Remembers printed lines; `news` returns new ones."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._told: set[tuple[str, str]] = set()
        self._hinted: set[str] = set()

    def news(self) -> Iterator[str]:
        """New replies, and the state of each thread when its first word changes."""
        for channel in self._workspace.channels.values():
            for message in list(channel.messages.values()):
                if not message.get("bot_id"):
                    continue
                text = str(message.get("text", "")).partition("\n")[0]
                is_reply = message.get("thread_ts", message.get("ts")) != message.get("ts")
                state = text.partition(" ")[0]
                key = (str(message.get("ts")), "" if is_reply else state)
                if key in self._told:
                    continue
                self._told.add(key)
                yield f"#{channel.name}  {'  thread: ' if is_reply else ''}{self._named(text)[:LONGEST_LINE]}"
                yield from () if is_reply else self._hint(state)

    def _hint(self, state: str) -> Iterator[str]:
        for word, hint in HINTS:
            if word == state and word not in self._hinted:
                self._hinted.add(word)
                yield f"    -> {hint}"

    def _named(self, text: str) -> str:
        for person in self._workspace.persons.values():
            text = text.replace(f"<@{person.id}>", f"@{person.name}")
        return text
