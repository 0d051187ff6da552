"""Machines that are too few: refused, not created, not registered, slow, failed, offline, or at the limit."""
