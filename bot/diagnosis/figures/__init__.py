"""The queue as it is told: unknown, with rows that are not real, or told late."""
