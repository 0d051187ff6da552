"""Answers about a job, and what followers are told."""
