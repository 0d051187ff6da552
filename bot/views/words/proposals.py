"""What the report proposes, in words, with its evidence."""

from collections.abc import Mapping

from bot.core.reporting.proposals import Proposal
from bot.views.words.phrase import in_words

CHANGES: Mapping[str, str] = {
    "alert_earlier": "Make an alert for {pool} fire earlier: at a wait of {seconds:duration}.",
    "alert_later": "Make the alert for {pool} fire later: above a wait of {seconds:duration}.",
    "keep_ready": ("Keep {idle:count idle runner} of {pool} on {days} from {from_hour:02}:00, {runners:,} in all."),
    "raise_limit": "Raise the limit of {pool} from {limit:,} to {runners:,}.",
}
"""The proposed changes."""


EVIDENCE: Mapping[str, str] = {
    "boots": (
        "the present {runners:,} keep {share:share} of the jobs under {target:duration} (a replay of those hours); "
        "a new one boots in about {boot:duration}"
    ),
    "calm": (
        "{calm:,} of {incidents:count incident} drained without any action, and nobody waited "
        "longer than {longest:duration}"
    ),
    "costs": "{more:count more runner costs|more runners cost} about {per_hour:money {currency}} an hour while running",
    "fired_late": "when it fired, the oldest job had waited {seconds:duration} (median of {times:count time})",
    "holds_a_place": "a job occupies a runner for {seconds:duration} on average",
    "limit_not_reached": "the limit of {limit:,} was not reached: at most {busy_most:,} were busy",
    "no_alert": "in {hours:,} of {of:count hour} with a wait over {target:duration}, no alert had fired",
    "seen": (
        "{incidents:if {incidents:count incident}|no incident}{waited_seconds:if ; {waited_seconds:hours} of waiting|}"
        "{hit:known ; {hit} of {of} {days} {hours}|}"
    ),
    "would_start": (
        "with {runners:count runner} {in_time:share} of the {jobs:count job} of the {hours:count hour} over "
        "{target:duration} would have started within it, with {limit:,} only {in_time_now:share} (a replay of the "
        "recorded hours, {margin:.0%} more work would fit too)"
    ),
}
"""The evidence of a proposal."""


def change_words(proposal: Proposal) -> str:
    return in_words(proposal.change, CHANGES)


def why_words(proposal: Proposal) -> tuple[str, ...]:
    return tuple(in_words(seen, EVIDENCE) for seen in proposal.evidence)
