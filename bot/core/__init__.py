"""The pure domain: no clock, no I/O, standard library only."""
