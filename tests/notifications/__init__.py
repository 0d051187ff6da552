"""Tests of what a person is told later."""
