"""Tests of the Redis rooms."""
