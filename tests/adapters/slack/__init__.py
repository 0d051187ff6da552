"""Tests of the Slack rooms."""
