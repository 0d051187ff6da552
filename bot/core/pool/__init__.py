"""What is known of a runner pool: snapshots, hours, history, jobs and early warnings."""
