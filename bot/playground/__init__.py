"""The local workspace: a strict stand-in for Slack with its web page, and a simulated fleet."""
