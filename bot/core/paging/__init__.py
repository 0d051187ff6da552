"""What people outside Slack are sent."""
