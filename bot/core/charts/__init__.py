"""The queue of an incident as a series of values, and the elements of a chart."""
