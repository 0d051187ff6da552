"""Tests of core/ranking."""
