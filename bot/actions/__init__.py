"""What a person can ask for: one module is one button, one verb and one help line."""
