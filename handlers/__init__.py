"""The doors: whoever calls Tailback calls here."""
