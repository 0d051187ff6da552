"""Slack's Web API: messages, files, people, and the meaning of its errors."""
