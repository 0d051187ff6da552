"""The union of all details."""

from bot.core.incident.details.closing import IncidentEnded
from bot.core.incident.details.diagnosis import CauseJudged, Diagnosed
from bot.core.incident.details.general import (
    AlertFired,
    AlertOddities,
    AlertResolved,
    AlertsJoined,
    Escalated,
    FiredAgain,
    Foreseen,
    Introduced,
    Noted,
    Paged,
    PlainText,
)
from bot.core.incident.details.queue import ChartShown, QueueChanged
from bot.core.incident.details.requests import IssueNoted, RequestNotDone
from bot.core.incident.details.scaling import LeaseNoted, RunnersChecked, RunnersReturned, ScaleAccepted, ScaleRequest
from bot.core.incident.details.silences import SilenceEnded, Silencing

Details = (
    PlainText
    | Noted
    | AlertFired
    | Introduced
    | AlertOddities
    | AlertsJoined
    | AlertResolved
    | FiredAgain
    | Escalated
    | Paged
    | Foreseen
    | QueueChanged
    | ChartShown
    | Silencing
    | SilenceEnded
    | ScaleRequest
    | ScaleAccepted
    | RunnersChecked
    | LeaseNoted
    | RunnersReturned
    | RequestNotDone
    | IssueNoted
    | Diagnosed
    | CauseJudged
    | IncidentEnded
)
