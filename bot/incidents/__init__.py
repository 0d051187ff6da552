"""An incident from alert to end: intake, thread, acknowledgement, fallback channel."""
