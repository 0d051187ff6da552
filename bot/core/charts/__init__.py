"""The queue of an incident as a series of values, and what a chart is made of."""
