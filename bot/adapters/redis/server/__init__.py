"""Starts the embedded Redis."""
