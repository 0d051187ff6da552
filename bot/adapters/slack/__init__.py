"""Slack's Web API: messages, files, people, and what its answers mean."""
