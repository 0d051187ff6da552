"""Scaling a pool up, with approval, leases, verification and return."""
