"""Tests of diagnosing."""
