"""Commands that ask a running installation by its API."""
