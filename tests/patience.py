"""How long tests wait for what must happen, so that none of them depends on the speed of the machine.

A wait that is over when the thing has happened costs nothing on a fast machine, however long it may take on a slow
one. A test that judges a delay compares it with another delay of the same run, or counts looks instead of seconds.
"""

PATIENCE_SECONDS = 60.0
"""For one thing that must happen."""
WHOLE_TEST_SECONDS = 300
"""For a whole test; what is not over by then hangs."""
