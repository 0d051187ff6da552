"""The life of an incident: intake, thread, acknowledgement, fallback channel, end."""
