"""Tests of handlers/tools."""
