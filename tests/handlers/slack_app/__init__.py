"""Tests of handlers/slack_app."""
