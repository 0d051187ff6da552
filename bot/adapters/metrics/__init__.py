"""Metrics sources, one file per kind; `registry.py` lists them."""
