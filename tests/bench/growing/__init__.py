"""What `tests.bench.fleet` measures, and with what."""
