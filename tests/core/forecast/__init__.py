"""Tests of core/forecast."""
