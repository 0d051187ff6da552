"""Silences in words."""

from bot.core.incident.details.requests import (
    ActiveSilence,
    Coverage,
    EndReason,
    SilenceEnd,
    SilenceEnded,
    SilenceStep,
    Silencing,
)
from bot.core.words import count, listed, time_left

REASONS = {
    EndReason.DRAINED: "the queue has drained",
    EndReason.INCIDENT_OVER: "the incident is over",
    EndReason.NOT_MEASURED: "the incident is over, and the queue is no longer measured",
    EndReason.TOO_MANY_JOBS: "too many jobs wait",
}


def still_lasts(silence: ActiveSilence) -> str:
    """How long a silence still lasts: `for another 1 h 50 min`. Its sentence is shown where no time has a zone."""
    lasts = f"for another {time_left(silence.seconds)}"
    drained = f"until the queue has drained, {lasts} at most" if silence.until_drained else lasts
    return f"{drained}{_unless(silence.above)}"


def silencing_words(step: Silencing) -> str:
    left = time_left(step.seconds)
    return {
        SilenceStep.ASKED: f"asked to silence the alert {_how_long(step)}.",
        SilenceStep.MADE: f"silenced the alert {_how_long(step)}. {coverage_words(step.coverage)}".rstrip(),
        SilenceStep.NOT_MADE: f"asked for a silence of {left}. None was created (shadow mode).",
        SilenceStep.EXTENSION_ASKED: f"asked to extend the silence to {left} from now.",
        SilenceStep.EXTENDED: f"extended the silence to {left} from now.",
        SilenceStep.NOT_EXTENDED: "asked to extend the silence. Nothing was changed (shadow mode).",
        SilenceStep.ENDS_SOON: f"The silence ends in {left}. The alert can then notify again.",
        SilenceStep.RECREATED: f"{step.alertmanager} had lost the silence. It was created again with the same end.",
    }[step.step]


def coverage_words(found: Coverage | None) -> str:
    """`1 of 2 alerts silenced. Not covered: X.`; empty if every alert is, or nothing is known."""
    if found is None or found.silenced >= found.of:
        return ""
    return f"{found.silenced} of {count(found.of, 'alert')} silenced. Not covered: {listed(found.uncovered)}."


def silence_ended_words(ended: SilenceEnded) -> str:
    return {
        SilenceEnd.ASKED: "asked to end the silence.",
        SilenceEnd.NOT_ENDED: "asked to end the silence. Nothing was changed (shadow mode).",
        SilenceEnd.ENDED: _ended(ended),
        SilenceEnd.RAN_OUT: "The silence has expired. The alert can notify again.",
        SilenceEnd.ENDED_ELSEWHERE: "The silence was ended outside Slack.",
        SilenceEnd.LOST: f"The silence is gone: {ended.alertmanager} no longer has it. Silence again if needed.",
    }[ended.how]


def _ended(ended: SilenceEnded) -> str:
    why = f": {REASONS[ended.why]}" if ended.why else ""
    if ended.why is EndReason.TOO_MANY_JOBS:
        why = f": {count(ended.waiting, 'job waits', 'jobs wait')}, more than {ended.above:,}"
    other = f" Another silence goes on {still_lasts(ended.other)}." if ended.other else ""
    return f"ended the silence{why}.{other}"


def _how_long(silencing: Silencing) -> str:
    lasting = time_left(silencing.seconds)
    until = f"until the queue has drained, for {lasting} at most" if silencing.until_drained else f"for {lasting}"
    return f"{until}{_unless(silencing.above)}"


def _unless(above: int | None) -> str:
    return "" if above is None else f", unless more than {count(above, 'job waits', 'jobs wait')}"
