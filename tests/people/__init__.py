"""Tests of hand-over, reminders and escalation."""
