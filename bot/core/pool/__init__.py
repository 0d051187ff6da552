"""A runner pool: samples, hours, history, jobs and early warnings."""
