"""Replays a recording: its events, and stand-ins that answer from the recording alone."""
