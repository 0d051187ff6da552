"""Which of several pools comes first."""
