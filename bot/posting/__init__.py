"""Keeps one Slack message up to date, exactly once."""
