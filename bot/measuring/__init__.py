"""Measures pools: snapshots, history, jobs, and whether an early warning is due."""
