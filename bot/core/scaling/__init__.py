"""The limits of a scale-up, the leases of extra capacity, and the check that runners came online."""
