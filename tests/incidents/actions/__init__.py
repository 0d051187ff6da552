"""Tests of what people do about incidents."""
