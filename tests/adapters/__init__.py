"""Tests of the adapters, against real parts where there are any."""
