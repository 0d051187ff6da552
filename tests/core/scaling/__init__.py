"""Tests of core/scaling."""
