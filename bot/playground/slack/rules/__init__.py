"""Slack's rules for messages, blocks and dialogs, as the local workspace enforces them."""
