"""Early warnings in Slack: posted once and kept up to date."""
