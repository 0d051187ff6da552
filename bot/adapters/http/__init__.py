"""HTTP to other systems: bounded answers, time limits, named failures, credentials redacted."""
