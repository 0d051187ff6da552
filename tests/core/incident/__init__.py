"""Tests of core/incident."""
