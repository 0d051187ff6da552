"""What people ask for: the interaction in Slack, the recorded request, and the buttons offered."""
