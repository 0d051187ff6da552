"""Silences in the Alertmanager: create, extend, end, list and check."""
