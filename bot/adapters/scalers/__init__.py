"""Scalers of pools, one file per kind; `registry.py` lists them."""
