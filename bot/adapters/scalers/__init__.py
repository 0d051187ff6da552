"""Scalers of pools, one file per kind; `bot/adapters/registry.py` lists them."""
