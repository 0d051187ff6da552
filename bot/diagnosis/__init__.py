"""Finds out why a pool queues: one pure rule per file, by rooms; `registry.py` lists them, `rank.py` runs them."""
