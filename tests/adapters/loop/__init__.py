"""Tests of the GitHub rooms."""
