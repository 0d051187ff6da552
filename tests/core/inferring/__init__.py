"""Tests of what is inferred."""
