"""Tests of the metrics sources: a real Prometheus, and every answer that it can give."""
