"""The dialogs: silence, questions, and a notice."""

from collections.abc import Sequence

from bot.core.alert import Matcher
from bot.core.incident.details.people import Escalation
from bot.core.incident.incident import Incident
from bot.core.incident.silence import SILENCE
from bot.core.message import Block, Message
from bot.core.reporting.issue import Naming
from bot.core.words import count, duration, listed
from bot.views.blocks import MOST_MODAL_TITLE, asking, button, context, option, plain, section
from bot.views.mrkdwn import Marked, clean, clipped, code, date, escaped, flat, joined, mention, say
from bot.views.parent.pools import title_of

PRESETS = (
    *(("15 min", "15m", 900), ("1 h", "1h", 3600), ("4 h", "4h", 4 * 3600)),
    *(("1 day", "1d", 86_400), ("3 days", "3d", 3 * 86_400), ("1 week", "1w", 7 * 86_400)),
)
"""(label, value, seconds) of the durations of a silence."""
MOST_MATCHERS, MOST_LINES = 15, 20
MOST_SHOWN = 20
"""Sections of the text; each has up to `PER_SECTION` characters."""
PER_SECTION = 2000


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


def question(callback: str, title: str, request_id: str, sentence: str, submit: str) -> Block:
    return modal(callback, title, request_id, [section(escaped(sentence, 1500))], submit=submit)


def notice(title: str, lines: Sequence[str]) -> Block:
    shown = [line for line in lines if clean(line)]
    sections = [section(escaped(line, 1500)) for line in shown[:MOST_LINES]]
    if (more := len(shown) - MOST_LINES) > 0:
        sections.append(context(say("+ {more}", more=count(more, "more line"))))
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
    return asking(words, button("Show the text…", "file_issue", request_id, "Show the issue's text"))


def issue_modal(  # noqa: PLR0913 - what the dialog shows
    callback: str, request_id: str, where: str, title: str, text: str, *, people: Sequence[str] = ()
) -> Block:
    """The issue before it is filed; `where` names its repository and labels, `people` those that it can name."""
    head = say("*{title}*\nA new issue in {where}.", title=escaped(title, 250), where=escaped(where, 250))
    parts = _parts(text)
    shown = [section(code(part)) for part in parts[:MOST_SHOWN]]
    if more := parts[MOST_SHOWN:]:
        shown.append(section(say("{more} not shown here.", more=count(len(more), "more part"))))
    mentions = [_naming(people)] if people else []
    return modal(callback, "File an issue?", request_id, [section(head), *mentions, *shown], submit="File")


def _naming(people: Sequence[str]) -> Block:
    """Whether others read who did what; without a word of the person they do not."""
    roles = option("As Responder A, Responder B", Naming.ROLES.value)
    names = option(flat(f"By name: {listed(people)}", 70), Naming.NAMES.value)
    chosen: dict[str, object] = {"type": "static_select", "options": [roles, names], "initial_option": roles}
    hint = "Everybody who can read the repository reads this. The text below has no names."
    return input_block("people", "Name people in the issue", chosen, hint=hint)


def _parts(text: str) -> list[list[str]]:
    found: list[list[str]] = [[]]
    for line in (clipped(one_line, PER_SECTION) for one_line in text.splitlines()):
        if found[-1] and sum(len(other) + 1 for other in found[-1]) + len(line) > PER_SECTION:
            found.append([])
        found[-1].append(line)
    return [part for part in found if any(part)]


def offer_escalation(request_id: str, to: str) -> Message:
    """`@tailback escalate` was typed: the button opens the dialog, which needs a click."""
    words = say("Call {to} about this incident? You confirm it next.", to=mention(to))
    return asking(words, button("Escalate…", "escalate", request_id, f"Escalate to {to}"))


def escalate_modal(callback: str, request_id: str, incident: Incident, targets: Sequence[str], to: str) -> Block:
    """Whom to call; the input `whom` is there when several can be called."""
    head = say("Calls {to} with the state of this incident. The thread and the channel show that you did.",
               to=mention(to) if len(targets) == 1 else say("the group or the pager that you choose"))  # fmt: skip
    blocks = [section(joined("\n", head, _called_before(incident)))]
    if len(targets) > 1:
        names = {one: option("The on-call group" if one == incident.thread.mention else flat(one, 70), one)
                 for one in targets}  # fmt: skip
        chosen: dict[str, object] = {"type": "static_select", "options": [*names.values()], "initial_option": names[to]}
        blocks.append(input_block("whom", "Whom to call", chosen))
    return modal(callback, "Escalate?", request_id, blocks, submit="Escalate")


def _called_before(incident: Incident) -> Marked | None:
    """Who was called by hand last, and when: a second call a minute later is noise."""
    last = next((one for one in reversed(incident.log.timeline) if isinstance(one.details, Escalation)), None)
    if last is None or last.who is None:
        return None
    return say("{who} escalated it {at}.", who=mention(last.who), at=date(last.at))
