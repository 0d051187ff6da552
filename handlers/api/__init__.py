"""The read-only API: the values that messages show, as JSON."""
