"""GitHub's REST API with few calls: runners, waiting jobs, and how complete both are."""
