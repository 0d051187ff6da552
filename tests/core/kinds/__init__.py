"""Tests of kinds of jobs."""
