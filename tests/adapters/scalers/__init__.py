"""Tests of the scalers, against a stub that speaks their protocol."""
