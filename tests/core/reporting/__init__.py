"""Tests of core/reporting."""
