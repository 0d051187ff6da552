"""Tests of views/export."""
