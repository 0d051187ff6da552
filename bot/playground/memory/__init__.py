"""The store in memory, with the same contract as the one on Redis."""
