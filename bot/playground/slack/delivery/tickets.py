"""Short-lived permits of an interaction: trigger ids and response URLs."""

from collections.abc import Callable
from dataclasses import dataclass

from bot.playground.slack.wire import SlackError

TRIGGER_SECONDS = 3.0
RESPONSE_SECONDS = 30 * 60.0
RESPONSE_POSTS = 5


@dataclass(slots=True)
class Trigger:
    """Permission to open one modal for one person."""

    user: str
    issued_seconds: float
    used: bool = False


@dataclass(slots=True)
class ResponseUrl:
    """Permission to answer an interaction: five posts in thirty minutes."""

    channel: str
    user: str
    posts: int = 0
    issued_seconds: float = 0.0


class Tickets:
    """Issues and redeems permits by the clock that is handed in."""

    def __init__(self, clock: Callable[[], float], next_id: Callable[[str], str]) -> None:
        self._clock = clock
        self._next_id = next_id
        self._triggers: dict[str, Trigger] = {}
        self._urls: dict[str, ResponseUrl] = {}

    def trigger(self, user: str) -> str:
        """A new trigger id for a person."""
        trigger_id = f"{self._next_id('')}.{int(self._clock() * 1000)}.{user.lower()}"
        self._triggers[trigger_id] = Trigger(user, self._clock())
        return trigger_id

    def redeem(self, trigger_id: str) -> Trigger:
        """Uses a trigger id up.

        Raises:
            SlackError: `invalid_trigger_id`, `exchanged_trigger_id` (used before), `expired_trigger_id` (over 3 s old).
        """
        trigger = self._triggers.get(trigger_id)
        if trigger is None:
            raise SlackError("invalid_trigger_id")
        if trigger.used:
            raise SlackError("exchanged_trigger_id")
        if self._clock() - trigger.issued_seconds > TRIGGER_SECONDS:
            raise SlackError("expired_trigger_id")
        trigger.used = True
        return trigger

    def response_url(self, permit: ResponseUrl) -> str:
        """The last part of a new response URL, valid from now on."""
        permit.issued_seconds = self._clock()
        key = f"{self._next_id('r')}x{int(self._clock() * 1000):x}"
        self._urls[key] = permit
        return key

    def spend(self, key: str) -> ResponseUrl:
        """Counts a post to a response URL.

        Raises SlackError: `expired_url` after 30 min, `used_url` after five posts, `not_found`.
        """
        permit = self._urls.get(key)
        if permit is None:
            raise SlackError("not_found")
        if self._clock() - permit.issued_seconds > RESPONSE_SECONDS:
            raise SlackError("expired_url")
        if permit.posts >= RESPONSE_POSTS:
            raise SlackError("used_url")
        permit.posts += 1
        return permit
