"""Tests of the diagnosis, rule by rule."""
