"""Tests of views/report."""
