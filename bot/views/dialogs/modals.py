"""The dialogs: silence, scale, confirmation, and a notice."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.core.alert import Matcher
from bot.core.incident.incident import Incident
from bot.core.incident.silence import SILENCE
from bot.core.message import Block, Message
from bot.core.scaling.lease import SCALE_UP, SCALE_UP_CONFIRM
from bot.core.words import count, duration, money
from bot.views.blocks import (
    MOST_CHOICES,
    MOST_MODAL_TITLE,
    MOST_OPTION_VALUE,
    actions,
    bullets,
    button,
    context,
    message,
    option,
    plain,
    section,
    text_table,
)
from bot.views.mrkdwn import Marked, clean, clipped, code, escaped, flat, joined, say
from bot.views.parent.pools import name_of, title_of
from bot.views.words.forecasts import Preview

PRESETS = (
    *(("15 min", "15m", 900), ("1 h", "1h", 3600), ("4 h", "4h", 4 * 3600)),
    *(("1 day", "1d", 86_400), ("3 days", "3d", 3 * 86_400), ("1 week", "1w", 7 * 86_400)),
)
"""(label, value, seconds) of the durations of a silence."""
MOST_MATCHERS, MOST_LINES = 15, 20
MOST_SHOWN = 20
"""Sections of the text; each has up to `PER_SECTION` characters."""
PER_SECTION = 2000


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
    cost_per_runner_hour: float | None = None
    reason: str = ""
    step: int | None = None
    useless: bool = False
    """Whether more runners are not expected to help; then no target is proposed."""
    needless: bool = False
    """Whether its queue is within normal; then no target is proposed either."""
    currency: str = ""

    @property
    def suggested(self) -> int | None:
        """The target that the dialog fills in; None: no pool gets more runners without need or use."""
        return None if self.useless or self.needless else self.proposed


def silence_modal(request_id: str, incident: Incident, matchers: Sequence[Matcher], max_seconds: float) -> Block:
    """Ask for a duration; inputs `preset` and `custom` with values such as `15m`, `1h`, `1d`."""
    alerts = incident.group.firing or incident.group.alerts
    if not matchers:
        return notice("Silence", ["This alert has no label that a silence could name safely.", "Nothing was silenced."])
    shown = [f"{m.name}{'=~' if m.is_regex else '='}{clean(m.value)[:120]}" for m in matchers[:MOST_MATCHERS]]
    if len(matchers) > MOST_MATCHERS:
        shown.append(f"+ {count(len(matchers) - MOST_MATCHERS, 'more matcher')}")
    most = duration(max_seconds)
    lengths = [option(label, value) for label, value, length in PRESETS if length <= max_seconds]
    lengths = lengths or [option(most, f"{max(1, int(max_seconds))}s")]
    choices = [*lengths, option(f"Until the queue has drained, {most} at most", "drained")]
    select: dict[str, object] = {"type": "static_select", "options": choices, "initial_option": lengths[:2][-1]}
    preview = say("*{title}*\nSilences alerts matching all of these labels (currently {alerts}):\n{labels}",
                  title=title_of(incident), alerts=len(alerts), labels=code(shown))  # fmt: skip
    owner = say("You become the owner and can end it early. The queue is still measured, and this thread is kept up to "
                "date.")  # fmt: skip
    hint = f"Overrides the choice above. At most {most}."
    blocks = [
        section(preview),
        input_block("preset", "For how long", select),
        input_block("custom", "Or any other duration", _text("e.g. 90m, 2h, 1h 30m"), optional=True, hint=hint),
        input_block("above", "End it when more jobs wait than this", _text("e.g. 200"), optional=True),
        context(owner),
    ]
    return modal(SILENCE, "Silence", request_id, blocks, submit="Silence")


def scale_modal(request_id: str, choices: Sequence[ScaleChoice], preview: Preview | None = None) -> Block:
    """Ask for an absolute target; inputs `pool` (only if there are several) and `target`.

    `preview` is the effect of more runners for the first pool that can be scaled; it stands right below that pool.
    """
    able = [one for one in choices if one.proposed is not None and len(one.pool) <= MOST_OPTION_VALUE][:MOST_CHOICES]
    loud, calm = _pools(choices)
    if not able:
        nothing = say("No pool can be scaled up now.") if loud else say("No pool here can be scaled.")
        return modal("notice", "Scale up", request_id, [section(nothing), *_lines(loud), *calm])
    first = able[0]
    head = say("*What more runners would do for {pool}*", pool=name_of(first.pool))
    until = loud.index(first) + 1 if first in loud else len(loud)
    blocks = [*_lines(loud[:until]), *(_preview(preview, head) if preview else []), *_lines(loud[until:])]
    if len(able) > 1:
        options = [
            option(
                f"{flat(one.pool, 50)}, {'none proposed' if one.suggested is None else f'to {one.suggested}'}", one.pool
            )
            for one in able
        ]
        chosen: dict[str, object] = {"type": "static_select", "options": options, "initial_option": options[0]}
        blocks.append(input_block("pool", "Pool", chosen))
    number: dict[str, object] = {"type": "number_input", "is_decimal_allowed": False}
    why = "its queue is within normal" if first.needless else "more runners are not expected to help"
    hint = f"Total runners, not how many to add. None proposed: {why}."
    if first.suggested is not None:
        number["initial_value"] = str(first.suggested)
        hint = f"Total runners, not how many to add. Proposed for {name_of(first.pool)}: {first.proposed}."
    blocks += [input_block("target", "New total", number, hint=hint), *calm]
    return modal(SCALE_UP, "Scale up", request_id, blocks, submit="Next")


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


def _preview(preview: Preview, head: Marked | None = None) -> list[Block]:
    """The effect as people read it, and its table; a dialog takes no native one."""
    above = bullets(preview.above, MOST_LINES) if preview.above else None
    words = joined("\n", head, above) if preview.lines else None
    shown = [section(words)] if words else []
    return [*shown, text_table(preview.table)] if preview.table else shown


def _line(choice: ScaleChoice) -> Marked:
    price, why = choice.cost_per_runner_hour, choice.reason or _why_not(choice)
    parts = [
        say("now {current}", current=count(choice.current, "runner")) if choice.current is not None else None,
        say("limit {limit}", limit=choice.limit) if choice.limit is not None else None,
        say("maximum {maximum}", maximum=choice.maximum),
        say("at most {step} more at once", step=choice.step) if choice.step is not None else None,
        say("{jobs} queued", jobs=count(choice.queued, "job")),
        say("new runners need {boot}", boot=duration(choice.boot_time_seconds)),
        say("{cost} per runner-hour", cost=money(price, choice.currency)) if price is not None else None,
    ]
    reason = say(" {reason}", reason=escaped(why, 240)) if why else say("")
    return say("• *{pool}*: {facts}.{reason}", pool=name_of(choice.pool), facts=joined(", ", *parts), reason=reason)


def _why_not(choice: ScaleChoice) -> str:
    """Why a pool with a working scaler cannot be scaled; empty if it can."""
    if choice.proposed is not None:
        return ""
    if choice.current is None:
        return "Its current size is unknown."
    if choice.current >= choice.maximum:
        return "It is at its maximum."
    return "One step does not reach the lowest target that its autoscaler accepts."


def scale_confirm(  # noqa: PLR0913, PLR0917 - the parts of a question
    request_id: str, pool: str, current: int | None, target: int, preview: Preview, lines: Sequence[str]
) -> Block:
    size = "an unknown size" if current is None else current
    change = say(
        "*{pool}*: from {size} to *{runners}*.", pool=name_of(pool), size=size, runners=count(target, "runner")
    )
    terms = bullets([*preview.below, *lines], MOST_LINES)
    blocks = [section(change), *_preview(preview), section(terms)]
    return modal(SCALE_UP_CONFIRM, "Scale up?", request_id, blocks, submit=f"Scale to {target}")


def question(callback: str, title: str, request_id: str, sentence: str, submit: str) -> Block:
    return modal(callback, title, request_id, [section(escaped(sentence, 1500))], submit=submit)


def notice(title: str, lines: Sequence[str]) -> Block:
    sections = [section(escaped(line, 1500)) for line in lines[:MOST_LINES] if clean(line)]
    return modal("notice", title, "", sections or [section(say("Nothing to show."))])


def in_dialog(words: Message) -> Block:
    made = notice("Tailback", [words.text])
    return {**made, "blocks": [dict(block) for block in words.blocks]} if words.blocks else made


def _text(placeholder: str) -> dict[str, object]:
    return {"type": "plain_text_input", "max_length": 40, "placeholder": plain(placeholder, 150)}


def input_block(block: str, label: str, element: dict[str, object], *, optional: bool = False, hint: str = "") -> Block:
    made: dict[str, object] = {
        "type": "input",
        "block_id": block,
        "label": plain(label, 150),
        "element": {**element, "action_id": block},
        "optional": optional,
    }
    return {**made, "hint": plain(hint, 150)} if hint else made


def modal(callback: str, title: str, request_id: str, blocks: Sequence[Block], *, submit: str = "") -> Block:
    """A dialog; `request_id` comes back with its submission."""
    made: dict[str, object] = {
        "type": "modal",
        "callback_id": callback,
        "title": plain(title, MOST_MODAL_TITLE),
        "close": plain("Cancel" if submit else "Close", MOST_MODAL_TITLE),
        "private_metadata": request_id[:3000],
        "blocks": list(blocks),
    }
    return {**made, "submit": plain(submit, MOST_MODAL_TITLE)} if submit else made


def offer_issue(request_id: str, repository: str) -> Message:
    """`@tailback file` was typed: the button opens the dialog, which needs a click."""
    words = say("File an issue in {repository}? You see its text first.", repository=repository)
    return message(
        words, section(words), actions(button("Show the text…", "file_issue", request_id, "Show the issue's text"))
    )


def issue_modal(callback: str, request_id: str, where: str, title: str, text: str) -> Block:
    """The issue before it is filed; `where` names its repository and labels."""
    head = say("*{title}*\nA new issue in {where}.", title=escaped(title, 250), where=escaped(where, 250))
    parts = _parts(text)
    shown = [section(code(part)) for part in parts[:MOST_SHOWN]]
    if more := parts[MOST_SHOWN:]:
        shown.append(section(say("{more} not shown here.", more=count(len(more), "more part"))))
    return modal(callback, "File an issue?", request_id, [section(head), *shown], submit="File")


def _parts(text: str) -> list[list[str]]:
    found: list[list[str]] = [[]]
    for line in (clipped(one_line, PER_SECTION) for one_line in text.splitlines()):
        if found[-1] and sum(len(other) + 1 for other in found[-1]) + len(line) > PER_SECTION:
            found.append([])
        found[-1].append(line)
    return [part for part in found if any(part)]
