"""A recorded past, played again: what happened to the queues, and stand-ins that answer from the record alone."""
