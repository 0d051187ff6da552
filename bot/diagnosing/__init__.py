"""The diagnosis and the status of pools, on request."""
