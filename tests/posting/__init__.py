"""Tests of posting."""
