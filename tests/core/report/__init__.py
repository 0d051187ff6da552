"""Tests of the longer view."""
