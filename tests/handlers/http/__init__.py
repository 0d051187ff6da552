"""Tests of handlers/http."""
