"""Tests of tools/remote."""
