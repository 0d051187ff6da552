"""Says why a pool is queueing, and what its figures are now."""
