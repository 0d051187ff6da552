"""Jobs by their addresses: those of the webhooks in the store, and one call to the system that runs them."""
