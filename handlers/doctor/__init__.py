"""The doctor: `tailback check`."""
