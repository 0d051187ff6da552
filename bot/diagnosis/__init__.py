"""Finds out why a pool queues: one pure rule per file, in folders; `registry.py` lists them, `rank.py` runs them."""
