"""Requests of people: the Slack interaction, the stored request, and the offered buttons."""
