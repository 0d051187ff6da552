"""The report, for Slack, the terminal and programs."""
