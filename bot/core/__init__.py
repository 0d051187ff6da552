"""The pure heart: no clock, no I/O, standard library only."""
