"""The people of an incident: who takes it over, who is reminded, who is called again."""
