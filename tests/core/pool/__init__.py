"""Tests of core/pool."""
