"""GitHub's REST API, asked sparingly: runners, waiting jobs, and how much of each was seen."""
