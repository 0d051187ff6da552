"""Infers what changed in the past of a pool, where nobody counts."""
