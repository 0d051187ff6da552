"""Tests of the alertmanagers: a real one, and a strict stand-in for Grafana."""
