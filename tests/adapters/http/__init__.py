"""Tests of adapters/http."""
