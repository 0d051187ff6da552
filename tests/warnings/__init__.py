"""Tests of warnings."""
