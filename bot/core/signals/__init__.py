"""Signals of machines, and of services that jobs need."""
