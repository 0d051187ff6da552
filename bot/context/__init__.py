"""What a behavior may reach: ports, clock, settings, saving of incidents, and queries."""
