"""The transcript shows what a reader of the channel would notice, in plain words and with zones."""

from bot.playground.replay.journal import JournalArrival, JournalForm, JournalMessage
from bot.playground.replay.transcript import plain, transcript

AT = 1_772_445_600.0


def written(*lines: JournalMessage | JournalArrival) -> list[str]:
    """The transcript without its empty lines, at a report period of five minutes."""
    return [line for line in transcript(lines, 300.0) if line]


def edit(after: float, text: str) -> JournalMessage:
    return JournalMessage(AT + after, JournalForm.EDIT, "C1", text, "1.1", "1.1")


POST = JournalMessage(AT, JournalForm.POST, "C1", "OPEN · 14 jobs, oldest waits 32 min.", "1.1")


def test_threads_and_replies_say_where_they_stand() -> None:
    """Messages in channels are numbered; whoever reads a reply can find its thread."""
    assert written(
        JournalArrival(AT, "webhook grafana", "opened"),
        JournalArrival(AT, "webhook grafana", "repeated"),
        POST,
        JournalMessage(AT + 1, JournalForm.REPLY, "C1", "*OPEN* · Worse.", "1.2", "1.1", broadcast=True),
    ) == [
        "2026-03-02 10:00:00 UTC · webhook grafana: opened an incident",
        "2026-03-02 10:00:00 UTC · #C1 · message 1",
        "    OPEN · 14 jobs, oldest waits 32 min.",
        "2026-03-02 10:00:01 UTC · reply to message 1, also shown in the channel",
        "        OPEN · Worse.",
    ]


def test_edits_of_figures_alone_are_counted_and_changed_words_are_shown() -> None:
    """A first message is edited all the time; what is news is shown at once after news, else once in a period."""
    lines = written(
        POST,
        edit(30, "OPEN · 15 jobs, oldest waits 1 h 2 min."),
        edit(60, "EASING · 9 jobs, oldest waits 33 min."),
        edit(90, "OPEN · 9 jobs, oldest waits 33 min."),
        edit(120, "OPEN · 8 jobs, oldest waits 33 min. Nobody has it."),
        edit(400, "OPEN · 7 jobs, oldest waits 33 min. Nobody has it."),
        edit(430, "OPEN · 6 jobs, oldest waits 33 min. Nobody has it."),
        edit(460, "OPEN · 5 jobs, oldest waits 33 min. Nobody has it."),
    )
    assert lines[2:] == [
        "2026-03-02 10:01:00 UTC · message 1 now reads (after 1 edit not shown)",
        "    EASING · 9 jobs, oldest waits 33 min.",
        "2026-03-02 10:06:40 UTC · message 1 now reads (after 2 edits not shown)",
        "    OPEN · 7 jobs, oldest waits 33 min. Nobody has it.",
        "2026-03-02 10:07:40 UTC · message 1 now reads (after 1 edit not shown)",
        "    OPEN · 5 jobs, oldest waits 33 min. Nobody has it.",
    ]


def test_markup_becomes_what_a_terminal_can_show() -> None:
    marked = (
        "<@U1> &lt;b&gt; <https://x.example/a|the board> <!subteam^S1> <!date^1^{date}|12:00 UTC> <https://y.example>"
    )
    assert plain(marked) == "@U1 <b> the board (https://x.example/a) @S1 12:00 UTC https://y.example"
