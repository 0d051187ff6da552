"""The commands beside the servers."""
