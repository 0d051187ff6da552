"""Tests of how work shares the event loop."""
