"""Tests of views/parent."""
