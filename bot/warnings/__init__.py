"""Early warnings in Slack: posted once, kept up to date, repaired after a loss of records."""
