"""The union of all details."""

from bot.core.incident.details import closing, diagnosis, general, queue, requests, scaling, silences

Details = (
    general.PlainText
    | general.Noted
    | general.AlertFired
    | general.Introduced
    | general.AlertOddities
    | general.AlertsJoined
    | general.AlertResolved
    | general.FiredAgain
    | general.Escalated
    | general.Paged
    | general.EarlyWarningGiven
    | queue.QueueChanged
    | queue.ChartShown
    | silences.Silencing
    | silences.SilenceEnded
    | scaling.ScaleRequest
    | scaling.ScaleAccepted
    | scaling.RunnersChecked
    | scaling.LeaseNoted
    | scaling.RunnersReturned
    | requests.RequestNotDone
    | requests.IssueNoted
    | diagnosis.Diagnosed
    | diagnosis.CauseJudged
    | closing.IncidentEnded
)
