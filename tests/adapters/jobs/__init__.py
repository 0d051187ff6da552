"""Tests of `bot/adapters/jobs`."""
