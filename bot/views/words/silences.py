"""Silences in words."""

from bot.core.incident.details.silences import (
    ActiveSilence,
    Coverage,
    EndReason,
    SilenceEnd,
    SilenceEnded,
    SilenceStep,
    Silencing,
)
from bot.core.words import clock, count, duration, listed

REASONS = {
    EndReason.DRAINED: "the queue has drained",
    EndReason.INCIDENT_OVER: "the incident is over",
    EndReason.NOT_MEASURED: "the incident is over, and nobody measures the queue any more",
    EndReason.TOO_MANY_JOBS: "too many jobs wait",
}


def until_when(silence: ActiveSilence) -> str:
    """A silence's end and conditions: `until 14:05 UTC, 1 h 50 min more`."""
    until = f"until {clock(silence.ends_at)} UTC, {duration(silence.seconds)} more"
    above = f", and not while more than {silence.above:,} jobs wait" if silence.above is not None else ""
    return f"until the queue has drained, at the latest {until}{above}" if silence.until_drained else f"{until}{above}"


def silencing_words(told: Silencing) -> str:
    """An active or requested silence in words."""
    left = duration(told.seconds)
    return {
        SilenceStep.ASKED: f"asked to silence the alert {_how_long(told)}.",
        SilenceStep.MADE: " ".join(
            part for part in (f"silenced the alert {_how_long(told)}.", coverage_words(told.coverage)) if part
        ),
        SilenceStep.NOT_MADE: f"asked for a silence of {left}; shadow mode, so none was made.",
        SilenceStep.EXTENSION_ASKED: f"asked to extend the silence to {left} from now.",
        SilenceStep.EXTENDED: f"extended the silence: it lasts for {left} more.",
        SilenceStep.NOT_EXTENDED: "asked to extend the silence; shadow mode, so its end stays.",
        SilenceStep.ENDS_SOON: f"The silence ends in {left}; the alert can notify again then.",
        SilenceStep.RECREATED: f"{told.alertmanager} had lost the silence; it was made again, with the same end.",
    }[told.step]


def coverage_words(found: Coverage | None) -> str:
    """`1 of 2 alerts silenced. Not covered: X.`; empty if every alert is, or nothing is known."""
    if found is None or found.silenced >= found.of:
        return ""
    return f"{found.silenced} of {count(found.of, 'alert')} silenced. Not covered: {listed(found.uncovered)}."


def silence_ended_words(ended: SilenceEnded) -> str:
    """The end of a silence in words."""
    return {
        SilenceEnd.ASKED: "asked to end the silence.",
        SilenceEnd.NOT_ENDED: "asked to end the silence; shadow mode, so it stays.",
        SilenceEnd.ENDED: _ended(ended),
        SilenceEnd.RAN_OUT: "The silence has run out; the alert can notify again.",
        SilenceEnd.ENDED_ELSEWHERE: "The silence was ended outside of Slack.",
        SilenceEnd.LOST: f"The silence is gone: {ended.alertmanager} does not know it any more. "
        "Silence again if it is needed.",
    }[ended.how]


def _ended(ended: SilenceEnded) -> str:
    why = f": {REASONS[ended.why]}" if ended.why else ""
    if ended.why is EndReason.TOO_MANY_JOBS:
        why = f": {ended.waiting:,} jobs wait, more than {ended.above:,}"
    other = f" Another one goes on {until_when(ended.other)}." if ended.other else ""
    return f"ended the silence{why}.{other}"


def _how_long(told: Silencing) -> str:
    lasting = duration(told.seconds)
    until = f"until the queue has drained, for {lasting} at most" if told.until_drained else f"for {lasting}"
    return f"{until}, and not while more than {told.above:,} jobs wait" if told.above is not None else until
