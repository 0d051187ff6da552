"""Summarises a replay: incidents, messages, causes, proposals, and scored forecasts."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from bot.core.forecast.scoring import error_factor, held_share, not_scored
from bot.core.incident.closing import waits
from bot.core.incident.incident import Incident
from bot.core.incident.pools import worst_peaks
from bot.core.pool.outlook import Score, Verdict
from bot.core.reporting.summary import Report
from bot.core.words import count, duration
from bot.playground.replay.journal import Journal, JournalArrival, JournalForm, JournalMessage, Proposed
from bot.playground.replay.transcript import REPEATED, stamp
from bot.views.words.causes import cause_name
from bot.views.words.closing import least_hours
from bot.views.words.forecasts import left_out_words
from bot.views.words.proposals import change_words, why_words

Json = dict[str, object]


@dataclass(frozen=True, slots=True)
class Played:
    """A finished replay."""

    journal: Journal
    since: float
    """Epoch seconds."""
    until: float
    webhooks: int
    measured: int
    report: Report
    """The report of the replayed time."""
    remarks: tuple[str, ...] = ()
    """Caveats about the recording."""

    def message_count(self, *forms: JournalForm) -> int:
        """The number of messages of these kinds."""
        return sum(isinstance(line, JournalMessage) and line.form in forms for line in self.journal.lines)


def head(played: Played) -> Iterator[str]:
    """The header of the summary."""
    fed = f"{count(played.webhooks, 'webhook')}, {count(played.measured, 'measurement')}"
    yield f"From {stamp(played.since)} to {stamp(played.until)}: {fed}."
    yield "No outside system is contacted: scalers and silences run in shadow mode, with the recorded figures."
    yield from (f"Note: {remark}" for remark in played.remarks)


def summary(played: Played) -> Iterator[str]:
    """Lines without line ends."""
    incidents = tuple(played.journal.incidents.values())
    first, edited = played.message_count(JournalForm.POST), played.message_count(JournalForm.EDIT, JournalForm.REWORDED)
    replies = played.message_count(JournalForm.REPLY)
    yield "Summary"
    yield (
        f"  {count(len(incidents), 'incident')}; {count(first + replies, 'message')} posted "
        f"({first:,} in channels, {count(replies, 'reply', 'replies')}), {count(edited, 'edit')}"
    )
    again = sum(isinstance(line, JournalArrival) and line.outcome == REPEATED for line in played.journal.lines)
    if again:
        yield f"  {count(again, 'webhook')} repeated an earlier one"
    if played.journal.refused:
        yield f"  {count(played.journal.refused, 'webhook')} could not be read"
    for incident in incidents:
        yield ""
        yield from _incident(incident, played)
    yield ""
    yield from _forecasts(played)
    yield ""
    yield from _changes(played.report)


def _incident(incident: Incident, played: Played) -> Iterator[str]:
    over = f"over {stamp(incident.closed_at)} ({incident.state})" if incident.closed_at else f"still {incident.state}"
    lasted = duration((incident.closed_at or played.until) - incident.opened_at)
    yield f"{incident.id} · {incident.group.title}"
    yield f"  opened {stamp(incident.opened_at)}, {over}, {lasted}"
    for name in worst_peaks(incident.pools.peaks, incident.pools.peaks):
        peak = incident.pools.peaks[name]
        yield f"  peak of {name}: {count(peak.queued, 'job')} queued, longest wait {duration(peak.oldest_wait_seconds)}"
    for waited in waits(incident, played.until):
        yield f"  developer time lost in {waited.pool}: {least_hours(waited.hours)} hours"
    for named in played.journal.named.get(incident.id, ()):
        yield f"  {stamp(named.at)}: {named.pool}: {cause_name(named.cause)}"
    for proposed in _telling(played.journal.proposed.get(incident.id, ())):
        yield from _proposal(proposed)


def _telling(proposed: Sequence[Proposed]) -> list[Proposed]:
    """The first and the largest proposal of each pool; the JSON has all."""
    found: list[Proposed] = []
    for pool in dict.fromkeys(one.pool for one in proposed):
        mine = [one for one in proposed if one.pool == pool]
        most = max(mine, key=lambda one: one.more or 0)
        found += [mine[0], most] if most is not mine[0] and most.more else [mine[0]]
    return found


def _proposal(proposed: Proposed) -> Iterator[str]:
    if proposed.more is None:
        words = "no number of runners within the limits was known to be enough"
    elif not proposed.more:
        words = "no more runners were needed"
    else:
        size = "" if proposed.current is None else f", {proposed.current + proposed.more:,} in all"
        words = f"proposed +{proposed.more:,}{size}"
    yield f"  {stamp(proposed.at)}: {proposed.pool}: {words}"
    yield from (f"      {line}" for line in proposed.lines)


def _forecasts(played: Played) -> Iterator[str]:
    yield "Forecasts compared with what happened"
    scores_by_pool = {
        pool: "; ".join(_score(tuple(scores.values()))) for pool, scores in sorted(played.journal.scores.items())
    }
    if not any(scores_by_pool.values()):
        yield "  none could be scored: no forecast queue drained"
    yield from (f"  {pool}: {words}" for pool, words in scores_by_pool.items() if words)


def _score(scores: Sequence[Score]) -> Iterator[str]:
    held, timed = held_share(scores)
    factor = error_factor(scores)
    if timed:
        yield f"{held:,} of {count(timed, 'interval')} correct"
    if factor is not None:
        yield f"median error ×{factor:.2f}"
    if missing := left_out_words(not_scored(scores)):
        yield missing
    others = [o for o in scores if o.forecast.verdict in {Verdict.STALLED, Verdict.GROWING} and not o.left_out]
    if others:
        of = f"{sum(one.held for one in others):,} of {count(len(others), 'forecast')}"
        yield f"{of} of a stalled or growing queue correct"
    if unsaid := sum(one.forecast.verdict is Verdict.NONE for one in scores):
        yield f"{count(unsaid, 'time')} no forecast was possible"


def _changes(report: Report) -> Iterator[str]:
    yield "Suggested changes"
    if not report.proposals:
        yield "  none: the records support no conclusion"
    for number, one in enumerate(report.proposals, 1):
        yield f"  {number}. {change_words(one)}"
        yield from (f"      {reason}" for reason in why_words(one))


def document(played: Played) -> Json:
    """The summary as JSON; times in epoch seconds."""
    journal = played.journal
    return {
        "since": played.since,
        "until": played.until,
        "webhooks": {"fed": played.webhooks, "not_readable": journal.refused},
        "measurements": played.measured,
        "remarks": list(played.remarks),
        "messages": {form.value: played.message_count(form) for form in JournalForm},
        "incidents": [_as_json(incident, journal) for incident in journal.incidents.values()],
        "forecasts": {pool: _scores(tuple(known.values())) for pool, known in sorted(journal.scores.items())},
        "changes": [
            {"pool": o.pool, **asdict(o.change), "words": change_words(o), "evidence": list(why_words(o))}
            for o in played.report.proposals
        ],
    }


def _as_json(incident: Incident, journal: Journal) -> Json:
    return {
        "id": incident.id,
        "title": incident.group.title,
        "state": incident.state.value,
        "channel": incident.thread.channel,
        "opened_at": incident.opened_at,
        "closed_at": incident.closed_at,
        "peaks": {
            name: {"queued": peak.queued, "oldest_wait_seconds": peak.oldest_wait_seconds}
            for name, peak in sorted(incident.pools.peaks.items())
        },
        "causes": [{"at": o.at, "pool": o.pool, "cause": o.cause} for o in journal.named.get(incident.id, ())],
        "proposals": [
            {"at": o.at, "pool": o.pool, "more": o.more, "current": o.current, "lines": list(o.lines)}
            for o in journal.proposed.get(incident.id, ())
        ],
    }


def _scores(scores: Sequence[Score]) -> Json:
    held, timed = held_share(scores)
    return {
        "held": held,
        "timed": timed,
        "not_scored": {why.value: number for why, number in not_scored(scores).items()},
        "error_factor": error_factor(scores),
        "made": [
            {
                "at": one.forecast.at,
                "verdict": one.forecast.verdict.value,
                "low_seconds": one.forecast.low_seconds,
                "mid_seconds": one.forecast.mid_seconds,
                "high_seconds": one.forecast.high_seconds,
                "actual_seconds": one.actual_seconds,
                "held": one.held,
                "not_scored_because": one.left_out,
            }
            for one in scores
        ],
    }
