"""Tests of silencing."""
