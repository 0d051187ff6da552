"""Tests of views/thread."""
