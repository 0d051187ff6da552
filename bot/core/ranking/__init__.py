"""Which of several figures or pools is the worst."""
