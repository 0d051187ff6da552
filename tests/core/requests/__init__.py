"""Tests of core/requests."""
