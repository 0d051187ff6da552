"""The outbox of messages to single people: stored, judged again when they leave, told once."""
