"""Periodic work of the whole installation: resync, recovery, deduplication, expiry."""
