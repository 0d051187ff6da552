"""The people of an incident, as pure functions: who owns it, and whom it was handed over to."""
