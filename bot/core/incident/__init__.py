"""An incident: its state changes, plan, timeline and end."""
