"""The processes, HTTP endpoints, Slack handlers and commands."""
