"""Finds out why a pool queues: pure rules, alike ones in a file; `registry.py` lists them, `rank.py` runs them."""
