"""Tests of the rules on the work itself."""
