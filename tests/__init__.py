"""Tests of the project, in the shape of its tree."""
