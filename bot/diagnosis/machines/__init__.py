"""Machines that are too few, or short of something: refused, not registered, slow, failed, offline, at the limit."""
