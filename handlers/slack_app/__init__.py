"""Everything Slack delivers: events, commands and interactions, by HTTP or Socket Mode."""
