"""Everything that a behavior may use: ports, clock, settings, saving of incidents, and queries."""
