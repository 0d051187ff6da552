"""Working fakes of the ports: they behave as the real parts do, and can be told to fail before or after they act."""

import asyncio
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from bot.core.alert import Alert, Delivery, Matcher
from bot.core.external import DEFAULT_INSTALLATION
from bot.core.paging.page import PageEvent
from bot.core.pool.pool import Snapshot
from bot.ports import (
    Block,
    Capacity,
    Failure,
    FiledIssue,
    Message,
    Own,
    OwnMessages,
    Person,
    Posted,
    Refused,
    SilenceFound,
    Unreachable,
)
from tests.invariants import Effect
from tests.threads import Shown


class FakeClock:
    """Time that moves only when it is told to; the wall clock may also be set wrong by `skew_seconds`."""

    def __init__(self, at: float = 1_700_000_000.0) -> None:
        self._at, self._elapsed, self.skew_seconds = at, 1000.0, 0.0
        self.goes_on_by = 0.0
        """Seconds by which each question moves it on."""

    def now(self) -> float:
        self.advance(self.goes_on_by)
        return self._at + self.skew_seconds

    def monotonic(self) -> float:
        return self._elapsed

    def advance(self, seconds: float) -> None:
        self._at += seconds
        self._elapsed += seconds


@dataclass(slots=True)
class _Line:
    method: str
    error: Exception
    after: bool
    times: int | None
    skip: int


@dataclass(slots=True)
class Script:
    """What goes wrong, call by call, and every call that was made."""

    system: str
    calls: list[str] = field(default_factory=list)
    """The methods, in the order in which they were called."""
    _lines: list[_Line] = field(default_factory=list)

    def fail(
        self,
        method: str,
        failure: Failure = Failure.UNKNOWN,
        *,
        after: bool = False,
        times: int | None = 1,
        skip: int = 0,
        retry_after_seconds: float | None = None,
        error: Exception | None = None,
    ) -> None:
        """Fail the next `times` calls (None: for ever) of `method`, before or `after` they had their effect."""
        lost = Unreachable(self.system, f"{method} failed", failure=failure, retry_after_seconds=retry_after_seconds)
        self._lines.append(_Line(method, error or lost, after, times, skip))

    def heal(self) -> None:
        self._lines.clear()

    @contextmanager
    def call(self, method: str) -> Iterator[None]:
        """Note a call; raises when it shall fail before or after its effect, which is what the block does."""
        self.calls.append(method)
        line = self._take(method)
        if line is not None and not line.after:
            raise line.error
        yield
        if line is not None:
            raise line.error

    def asked(self, method: str) -> None:
        """Note a call that has no effect."""
        with self.call(method):
            pass

    def count(self, method: str) -> int:
        return self.calls.count(method)

    def _take(self, method: str) -> _Line | None:
        for line in self._lines:
            if line.method not in {method, "*"}:
                continue
            if line.skip > 0:
                line.skip -= 1
                continue
            if line.times is not None:
                line.times -= 1
                if line.times <= 0:
                    self._lines.remove(line)
            return line
        return None


@dataclass(slots=True)
class SlackMessage:
    """A message as the fake Slack has it."""

    channel: str
    ts: str
    message: Message
    key: str
    thread: str | None = None
    broadcast: bool = False
    edits: int = 0
    ours: bool = True
    installation: str = DEFAULT_INSTALLATION


class FakeChat:
    """Slack: threads, marks, updates, whispers, modals; one call is one request."""

    def __init__(self, clock: FakeClock, channels: Sequence[str] | None = None) -> None:
        """`channels`: those that exist, None for any."""
        self.clock, self.channels = clock, channels
        self.script = Script("Slack")
        self.installation = DEFAULT_INSTALLATION
        self.messages: list[SlackMessage] = []
        self.whispers: list[tuple[str, str, Message, str | None]] = []
        """(channel, user, message, thread)."""
        self.responses: list[tuple[str, Message, str | None]] = []
        """(response_url, message, thread)."""
        self.spent: set[str] = set()
        self.views: list[tuple[str, Block]] = []
        """(trigger id, view)."""
        self.homes: dict[str, Block] = {}
        self.people: dict[str, Person] = {}
        """Everybody else is a full member."""
        self.groups: dict[str, frozenset[str]] = {}
        self.private: dict[str, frozenset[str]] = {}
        self.away: set[str] = set()
        """People who have joined no channel."""
        self.history_lag_seconds = 0.0
        """How long a message takes to show up in `find`."""
        self._triggers: set[str] = set()
        self._count = 0

    @property
    def in_turn(self) -> "FakeChat":
        return self

    async def post(
        self, channel: str, message: Message, *, key: str, thread: str | None = None, broadcast: bool = False
    ) -> Posted:
        """Stores the message; a reply under a deleted parent lands in the channel and raises GONE, as at Slack."""
        with self.script.call("post"):
            self._check(channel)
            self._count += 1
            alive = thread is None or self._at(channel, thread) is not None
            ts = f"{int(self.clock.now())}.{self._count:06d}"
            placed = SlackMessage(channel, ts, message, key, thread if alive else None, broadcast)
            placed.installation = self.installation
            self.messages.append(placed)
            if not alive:
                raise Unreachable("Slack", "the thread's first message is deleted", failure=Failure.GONE)
            return Posted(channel, ts)

    async def update(self, channel: str, ts: str, message: Message, *, key: str = "") -> None:
        """Replaces text and blocks; the key stays unless another is given."""
        with self.script.call("update"):
            self._check(channel)
            stored = self._at(channel, ts)
            if stored is None:
                raise Unreachable("Slack", "message_not_found", failure=Failure.GONE)
            stored.message, stored.edits, stored.key = message, stored.edits + 1, key or stored.key

    async def find(self, channel: str, key: str, *, since: float, thread: str | None = None) -> Posted | None:
        """The oldest message of ours with `key`, once history shows it."""
        with self.script.call("find"):
            self._check(channel)
            seen = self.clock.now() - self.history_lag_seconds
            for stored in self.messages:
                fits = stored.channel == channel and stored.thread == thread and stored.key == key and stored.ours
                fits = fits and stored.installation == self.installation
                if fits and since - 60 <= float(stored.ts) <= seen + 1:
                    return Posted(channel, stored.ts)
            return None

    async def own(self, channel: str, *, since: float, thread: str | None = None) -> OwnMessages:
        """Our own messages that stand in a channel or a thread, once history shows them."""
        with self.script.call("own"):
            self._check(channel)
            seen = self.clock.now() - self.history_lag_seconds
            ours = [s for s in self.messages if s.channel == channel and s.thread == thread and s.ours and s.key]
            there = [s for s in ours if since <= float(s.ts) <= seen + 1]
            own = tuple(Own(s.ts, s.key) for s in there if s.installation == self.installation)
            return OwnMessages(own, frozenset(s.installation for s in there) - {self.installation})

    async def stranger(self, channel: str, ts: str) -> str:
        """Another installation that posted the message."""
        with self.script.call("stranger"):
            if (stored := self._at(channel, ts)) is None:
                raise Unreachable("Slack", "message_not_found", failure=Failure.GONE)
            return "" if stored.installation == self.installation else stored.installation

    def beside(self, installation: str) -> "FakeChat":
        """The same workspace with the same token, as another installation reaches it."""
        other = FakeChat(self.clock, self.channels)
        other.messages, other.people, other.groups, other.private = (
            self.messages,
            self.people,
            self.groups,
            self.private,
        )
        other.installation, other._count = installation, 500_000
        return other

    async def whisper(self, channel: str, user: str, message: Message, *, thread: str | None = None) -> None:
        with self.script.call("whisper"):
            self._check(channel)
            self.whispers.append((channel, user, message, thread))

    async def respond(self, url: str, message: Message, *, thread: str | None = None) -> None:
        """Takes five posts for an address, as at Slack; `spent` are addresses that take none any more."""
        with self.script.call("respond"):
            if url in self.spent or sum(one == url for one, _, _ in self.responses) >= 5:
                raise Unreachable("Slack", "response_url: used_url", failure=Failure.GONE)
            self.responses.append((url, message, thread))

    async def open_view(self, trigger_id: str, view: Block) -> None:
        with self.script.call("open_view"):
            if trigger_id in self._triggers:
                raise Unreachable("Slack", "exchanged_trigger_id", failure=Failure.GONE)
            self._triggers.add(trigger_id)
            self.views.append((trigger_id, view))

    async def publish_home(self, user: str, view: Block) -> None:
        with self.script.call("publish_home"):
            self.homes[user] = view

    async def permalink(self, channel: str, ts: str) -> str:
        """An address; empty for a message that is not there."""
        self.script.asked("permalink")
        return f"https://slack.test/archives/{channel}/p{ts.replace('.', '')}" if self._at(channel, ts) else ""

    async def person(self, user: str) -> Person:
        """Whom `people` names, else a full member of the one workspace."""
        self.script.asked("person")
        return self.people.get(user, Person(user, "T0"))

    async def may_read(self, channel: str, user: str) -> bool:
        """Whether the channel is not in `private`, or that names the person."""
        self.script.asked("may_read")
        return channel not in self.private or user in self.private[channel]

    async def in_channel(self, channel: str, user: str) -> bool:
        """Everybody whom `away` does not name, if they may read the channel."""
        self.script.asked("in_channel")
        return user not in self.away and user in self.private.get(channel, {user})

    async def group_members(self, group: str) -> frozenset[str]:
        """The members; a group that does not exist raises GONE."""
        self.script.asked("group_members")
        if group not in self.groups:
            raise Unreachable("Slack", "usergroups.users.list: no_such_subteam", failure=Failure.GONE)
        return self.groups[group]

    async def connect(self) -> None:
        with self.script.call("connect"):
            pass

    def thread(self, ts: str) -> list[SlackMessage]:
        return [stored for stored in self.messages if stored.thread == ts]

    def parents(self) -> list[SlackMessage]:
        """The messages that stand in a channel, in order."""
        return [stored for stored in self.messages if stored.thread is None]

    def shown(self) -> list[Shown]:
        return [Shown(s.channel, s.ts, s.thread or "", s.key, s.ours, s.edits > 0) for s in self.messages]

    def delete(self, channel: str, ts: str) -> None:
        self.messages = [stored for stored in self.messages if (stored.channel, stored.ts) != (channel, ts)]

    def _at(self, channel: str, ts: str) -> SlackMessage | None:
        return next((stored for stored in self.messages if (stored.channel, stored.ts) == (channel, ts)), None)

    def _check(self, channel: str) -> None:
        if self.channels is not None and channel not in self.channels:
            raise Unreachable("Slack", "channel_not_found", failure=Failure.PLACE)


class FakeMetrics:
    """A source that shows what it is told to, stamped with the clock."""

    def __init__(self, clock: FakeClock) -> None:
        self.clock, self.script = clock, Script("Prometheus (fake)")
        self.past: dict[str, tuple[Snapshot, ...]] = {}
        self._shown: dict[str, deque[Snapshot]] = {}

    def show(self, pool: str, *samples: Snapshot | Mapping[str, object]) -> None:
        """The next samples of a pool, in turn; the last one stays. A mapping names figures of a Snapshot."""
        made = (sample if isinstance(sample, Snapshot) else Snapshot(pool, 0.0, **sample) for sample in samples)  # type: ignore[arg-type]  # a test's own figures
        self._shown[pool] = deque(made)

    async def snapshot(self, pool: str) -> Snapshot:
        """The next sample. A Snapshot with a time of its own keeps it; one at 0 is stamped with the clock."""
        with self.script.call("snapshot"):
            samples = self._shown.get(pool)
            if not samples:
                raise Unreachable("Prometheus (fake)", f"no figures are configured for {pool}", failure=Failure.SHAPE)
            sample = samples.popleft() if len(samples) > 1 else samples[0]
            return sample if sample.at else replace(sample, at=self.clock.now())

    async def history(self, pool: str, since: float, until: float, step_seconds: float) -> tuple[Snapshot, ...]:
        """The part of `past` that was asked for."""
        self.script.asked("history")
        return tuple(sample for sample in self.past.get(pool, ()) if since <= sample.at <= until)


class HangingMetrics(FakeMetrics):
    """A source that never answers."""

    async def snapshot(self, pool: str) -> Snapshot:
        await asyncio.Event().wait()
        raise AssertionError("nobody sets it")


class FakeScaler:
    """A scaler that remembers idempotency keys: the same key has one effect."""

    def __init__(self, current: int | None = 10, minimum: int | None = 0, maximum: int | None = 40) -> None:
        self.current, self.minimum, self.maximum = current, minimum, maximum
        self.script = Script("Scaler (fake)")
        self.requests: list[tuple[int, str]] = []
        """Every (target, act) that arrived."""
        self.effects: list[tuple[int, str]] = []
        """Those that changed something."""
        self.clock: FakeClock | None = None
        self.allowed: int | None = None
        """What the configuration allows; kept with each effect, for tests/invariants.py."""
        self.log: list[Effect] = []

    async def read(self) -> Capacity:
        self.script.asked("read")
        return Capacity(self.current, self.minimum, self.maximum)

    async def set(self, target: int, request_id: str) -> None:
        """Sets the target once per act; refuses what is outside its own limits."""
        with self.script.call("set"):
            self.requests.append((target, request_id))
            if self.maximum is not None and target > self.maximum:
                raise Refused(f"The scaler refused {target:,} (HTTP 422): the most is {self.maximum:,}")
            if request_id not in {known for _, known in self.effects}:
                at = self.clock.now() if self.clock else 0.0
                self.log.append(Effect("", target, request_id, self.current, self.allowed, at))
                self.current = target
                self.effects.append((target, request_id))


SILENCE_GONE = "The silence is over, or the back end has lost it; silence again if it is needed."


class FakeAlertmanager:
    """Silences that begin and end by the clock, and alerts that fire."""

    def __init__(self, clock: FakeClock, kind: str = "grafana", max_silence_seconds: float = 86400.0) -> None:
        self.clock, self.kind, self.max_silence_seconds = clock, kind, max_silence_seconds
        self.addresses: tuple[str, ...] = ()
        self.script = Script("Alertmanager (fake)")
        self.silences: dict[str, SilenceFound] = {}
        """As they were created; `active` there is not kept up to date, `get` and `find` are."""
        self.alerts: tuple[Alert, ...] = ()
        self.active: tuple[Delivery, ...] = ()
        self._starts: dict[str, float] = {}
        self.moves = False
        """Whether a silence that is extended gets another id, as of another start."""

    async def silence(
        self, matchers: Sequence[Matcher], *, starts_at: float, ends_at: float, by: str, comment: str
    ) -> str:
        """Creates a silence every time, as the real ones do; refuses no matchers and too long a time."""
        with self.script.call("silence"):
            if not any(m.value and m.is_equal and not m.is_regex for m in matchers):
                raise Refused(
                    "A silence needs at least one exact label of this alert; it would silence other alerts too."
                )
            if not 0 < ends_at - starts_at <= self.max_silence_seconds + 1:
                raise Refused("That is longer than is allowed here.")
            silence_id = f"silence-{len(self.silences) + 1}"
            self.silences[silence_id] = SilenceFound(silence_id, True, ends_at, comment, tuple(matchers), by)
            self._starts[silence_id] = starts_at
            return silence_id

    async def find(self, tag: str) -> SilenceFound | None:
        """The newest one that has not ended and carries the tag."""
        self.script.asked("find")
        fitting = [s for s in self.silences.values() if tag in s.comment and s.ends_at > self.clock.now()]
        return self._now(fitting[-1]) if fitting else None

    async def get(self, silence_id: str) -> SilenceFound | None:
        self.script.asked("get")
        found = self.silences.get(silence_id)
        return self._now(found) if found else None

    async def silenced(self) -> tuple[SilenceFound, ...]:
        self.script.asked("silenced")
        return tuple(one for one in map(self._now, self.silences.values()) if one.active)

    async def extend(self, silence_id: str, ends_at: float) -> SilenceFound:
        """Gives it another end, under another id when `moves` says so; one that is over is refused."""
        with self.script.call("extend"):
            found = self.silences.get(silence_id)
            if found is None or found.ends_at <= self.clock.now():
                raise Refused(SILENCE_GONE)
            made = replace(found, ends_at=ends_at, id=f"silence-{len(self.silences) + 1}" if self.moves else silence_id)
            if self.moves:
                self.silences[silence_id] = replace(found, ends_at=self.clock.now())
                self._starts[made.id] = self.clock.now()
            self.silences[made.id] = made
            return self._now(made)

    async def end(self, silence_id: str) -> None:
        """Ends it now; twice, or an unknown one, is fine."""
        with self.script.call("end"):
            if (found := self.silences.get(silence_id)) and found.ends_at > self.clock.now():
                self.silences[silence_id] = replace(found, ends_at=self.clock.now())

    async def firing(self) -> tuple[Alert, ...]:
        """Whatever `alerts` holds."""
        self.script.asked("firing")
        return self.alerts

    async def groups(self) -> tuple[Delivery, ...]:
        """Whatever `active` holds."""
        self.script.asked("groups")
        return self.active

    def forget(self, silence_id: str) -> None:
        """Lose a silence, as an Alertmanager does when it is killed (docs/design/measurements.md#silences)."""
        del self.silences[silence_id]

    def _now(self, silence: SilenceFound) -> SilenceFound:
        started = self._starts[silence.id] <= self.clock.now()
        return replace(silence, active=started and silence.ends_at > self.clock.now())


class FakeIssues:
    """A repository that keeps its issues."""

    repository = "example/ci"

    def __init__(self) -> None:
        self.script = Script("GitHub (fake)")
        self.filed: list[tuple[str, str, tuple[str, ...]]] = []
        """Title, text and labels."""
        self.may_label = True

    async def find(self, marker: str, since: str) -> FiledIssue | None:
        with self.script.call("find"):
            found = [number for number, (_, text, _) in enumerate(self.filed, 1) if text.endswith(marker)]
            return self._issue(found[0]) if found else None

    async def create(self, title: str, text: str, labels: tuple[str, ...]) -> FiledIssue:
        with self.script.call("create"):
            self.filed.append((title, text, labels if self.may_label else ()))
            return self._issue(len(self.filed))

    def _issue(self, number: int) -> FiledIssue:
        url = f"https://github.example/{self.repository}/issues/{number}"
        return FiledIssue(f"{self.repository}#{number}", url, self.filed[number - 1][2])


class FakePager:
    """Keeps what it was sent; like a real one it counts a repeated message once."""

    label = "PagerDuty"

    def __init__(self) -> None:
        self.script = Script("PagerDuty (fake)")
        self.events: list[PageEvent] = []

    async def send(self, event: PageEvent) -> None:
        with self.script.call("send"):
            if (event.key, event.action) not in [(one.key, one.action) for one in self.events]:
                self.events.append(event)
