"""The dialog of Scale up: every choice is a total with its effect, and another one is answered once."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.core.message import Block
from bot.core.pool.outlook import RunnerPrice
from bot.core.scaling.lease import SCALE_UP
from bot.core.words import count, duration, money
from bot.views.blocks import (
    MOST_CHOICES,
    MOST_LABEL,
    MOST_OPTION_VALUE,
    MOST_RADIO,
    bullets,
    context,
    option,
    plain,
    section,
)
from bot.views.dialogs.modals import MOST_LINES, input_block, modal
from bot.views.mrkdwn import Marked, escaped, flat, joined, say
from bot.views.parent.pools import name_of

OTHER = "other"
"""The value of the last choice."""


@dataclass(frozen=True, slots=True)
class ScaleChoice:
    """One pool that may be scaled; unknown figures are None."""

    pool: str
    current: int | None
    maximum: int
    limit: int | None = None
    """The measured maximum of runners."""
    queued: int | None = None
    proposed: int | None = None
    """The proposed absolute target; None: this pool cannot be scaled, see `reason`."""
    boot_time_seconds: float = 180.0
    price: RunnerPrice | None = None
    reason: str = ""
    step: int | None = None
    useless: bool = False
    """Whether more runners are not expected to help; then no target is proposed."""
    needless: bool = False
    """Whether its queue is within normal; then no target is proposed either."""
    currency: str = ""
    online: int | None = None
    """The measured runners; `current` is what its autoscaler is set to."""
    together: int = 1
    """Runners on one machine, of which totals are multiples."""

    @property
    def suggested(self) -> int | None:
        """The target that the dialog fills in; None: no pool gets more runners without need or use."""
        return None if self.useless or self.needless else self.proposed


@dataclass(frozen=True, slots=True)
class ScaleRow:
    """One total that can be chosen, with its effect in words."""

    total: int
    added: int
    effect: str


def scale_value(pool: str, total: int | str, now: int | None = None) -> str:
    """The value of a choice, with the size that was shown: what was shown is what is stored."""
    return f"{total}/{now or 0}:{pool}"


def chosen_of(value: str) -> tuple[str, str, int]:
    """(pool, total or OTHER, the size that was shown) of a choice; empty and 0 where it is none."""
    numbers, _, pool = value.partition(":")
    total, _, now = numbers.partition("/")
    return pool, total, int(now) if now.isascii() and now.isdigit() else 0


def scale_modal(
    request_id: str,
    choices: Sequence[ScaleChoice],
    rows: Sequence[ScaleRow],
    above: Sequence[str],
    terms: Sequence[str],
) -> Block:
    """Ask for a total: radio buttons for the first pool that can be scaled, and another total or pool.

    Inputs `choice`, `pool` (only if there are several) and `target`.
    """
    able = scalable(choices)
    loud, calm = _pools(choices)
    if not able:
        nothing = say("No pool can be scaled up now.") if loud else say("No pool here can be scaled.")
        return modal("notice", "Scale up", request_id, [section(nothing), *_lines(loud), *calm])
    first = able[0]
    until = loud.index(first) + 1 if first in loud else len(loud)
    other = option("Another total or pool" if len(able) > 1 else "Another total", scale_value(first.pool, OTHER))
    blocks = [
        *_lines(loud[:until]),
        *_above(above),
        input_block("choice", _asks_for(first), _radio(first, rows, other)),
    ]
    number: dict[str, object] = {"type": "number_input", "is_decimal_allowed": False}
    now = "" if first.current is None else f" ({first.current} now)"
    above_it = other["text"]["text"]  # type: ignore[index]
    hint = f"Total runners, not how many to add{now}. Choose “{above_it}” above. Its effect is shown first."
    blocks.append(input_block("target", "Another total", number, optional=True, hint=hint))
    if len(able) > 1:
        options = [option(f"{flat(one.pool, 50)}, now {one.current}", one.pool) for one in able]
        select: dict[str, object] = {"type": "static_select", "options": options, "initial_option": options[0]}
        blocks.append(input_block("pool", "Of which pool", select, optional=True))
    blocks += [*_lines(loud[until:]), *calm, section(bullets(terms, MOST_LINES))]
    return modal(SCALE_UP, "Scale up", request_id, blocks, submit="Scale up")


def scale_answer(
    request_id: str, choice: ScaleChoice, rows: Sequence[ScaleRow], above: Sequence[str], terms: Sequence[str]
) -> Block:
    """The answer to another total or pool, in the same dialog: its effect, chosen already. Input `answer`."""
    radio = input_block("answer", _asks_for(choice), _radio(choice, rows))
    blocks = [section(_line(choice)), *_above(above), radio, section(bullets(terms, MOST_LINES))]
    return modal(SCALE_UP, "Scale up", request_id, blocks, submit="Scale up")


def scalable(choices: Sequence[ScaleChoice]) -> list[ScaleChoice]:
    """The pools that can be scaled now and whose name fits a choice."""
    longest = MOST_OPTION_VALUE - len(scale_value("", 10**6, 10**6))
    return [one for one in choices if one.proposed is not None and len(one.pool) <= longest][:MOST_CHOICES]


def _asks_for(choice: ScaleChoice) -> str:
    return f"New total for {flat(choice.pool, 100)}"


def _radio(choice: ScaleChoice, rows: Sequence[ScaleRow], *others: Block) -> dict[str, object]:
    """Each total with its effect; the suggested one is chosen."""
    options = [
        {**option(f"{one.total:,} (+{one.added:,})", scale_value(choice.pool, one.total, choice.current)),
         "description": plain(one.effect, MOST_LABEL)}
        for one in rows[: MOST_RADIO - len(others)]
    ]  # fmt: skip
    suggested = [one for one, row in zip(options, rows, strict=False) if row.total == choice.suggested]
    radio: dict[str, object] = {"type": "radio_buttons", "options": [*options, *others]}
    return {**radio, "initial_option": suggested[0]} if suggested else radio


def _above(lines: Sequence[str]) -> list[Block]:
    return [section(bullets(lines, MOST_LINES))] if lines else []


def _pools(choices: Sequence[ScaleChoice]) -> tuple[Sequence[ScaleChoice], list[Block]]:
    """The queueing pools, and the others in one small line."""
    calm = [one for one in choices if one.queued == 0 and not one.reason]
    loud = [one for one in choices if one not in calm] or choices
    if loud is choices or not calm:
        return loud, []
    short = [say("{pool} {current} of at most {maximum} runners", pool=name_of(one.pool), maximum=one.maximum,
                 current="an unknown number" if one.current is None else one.current)
             for one in calm[:MOST_LINES]]  # fmt: skip
    return loud, [context(say("Nothing queued: {pools}.", pools=joined(", ", *short)))]


def _lines(pools: Sequence[ScaleChoice]) -> list[Block]:
    """The limits of the pools."""
    lines = [_line(choice) for choice in pools[:MOST_LINES]]
    if len(pools) > MOST_LINES:
        lines.append(say("+ {more}", more=count(len(pools) - MOST_LINES, "more pool")))
    return [section(joined("\n", *part)) for part in (lines[:10], lines[10:]) if part]


def _line(choice: ScaleChoice) -> Marked:
    price, why = choice.price, choice.reason or _why_not(choice)
    sizes = [
        say("now {current}", current=count(choice.current, "runner")) if choice.current is not None else None,
        say("{online} online", online=choice.online) if choice.online not in {None, choice.current} else None,
        say("limit {limit}", limit=choice.limit) if choice.limit is not None else None,
        say("maximum {maximum}", maximum=choice.maximum),
    ]
    terms = [
        say("At most {step} more at once", step=choice.step) if choice.step is not None else None,
        say("New runners need {boot}", boot=duration(choice.boot_time_seconds)),
        say("{cost} per runner-hour", cost=money(price.per_runner_hour, choice.currency)) if price else None,
        say("In machines of {together} runners", together=choice.together) if choice.together > 1 else None,
    ]
    queue = say("{jobs} queued", jobs=count(choice.queued, "job"))
    facts = joined(". ", joined(", ", *sizes), queue, *terms)
    reason = say(" {reason}", reason=escaped(why, 240)) if why else say("")
    return say("• *{pool}*: {facts}.{reason}", pool=name_of(choice.pool), facts=facts, reason=reason)


def _why_not(choice: ScaleChoice) -> str:
    """Why a pool with a working scaler cannot be scaled; empty if it can."""
    if choice.proposed is not None:
        return ""
    if choice.current is None:
        return "Its current size is unknown."
    if choice.current >= choice.maximum:
        return "It is at its maximum."
    return "One step does not reach the lowest target that its autoscaler accepts."
