"""Tests of reading Prometheus."""
