"""Kinds of jobs, and how long they take."""
