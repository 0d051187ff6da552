"""The union of all details."""

from bot.core.incident.details import actions, events, people, requests

Details = (events.PlainText | events.Noted | events.AlertFired | events.Introduced | events.AlertOddities
        | events.AlertsJoined | events.AlertResolved | events.FiredAgain | events.Escalated | people.HandedOver
        | people.HandoverDeclined | people.ReminderAsked | people.Escalation | events.Paged
        | events.EarlyWarningGiven | events.QueueChanged | events.ChartShown | requests.Silencing
        | requests.SilenceEnded | requests.ScaleRequest | requests.ScaleAccepted | requests.RunnersChecked
        | requests.LeaseNoted | requests.RunnersReturned | requests.RequestNotDone | requests.IssueNoted
        | actions.ActionNoted | events.Diagnosed | events.CauseJudged | events.IncidentEnded)  # fmt: skip
