"""Prometheus as a source of figures: its answers, the queries of presets, and a pool drawn from both."""
