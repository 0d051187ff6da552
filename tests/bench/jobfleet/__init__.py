"""A job-level fleet for benchmarks: batches, heavy tails, a working week, three autoscalers, spot machines, faults."""
