"""Limits of scale-ups, leases of extra runners, and verification that runners came online."""
