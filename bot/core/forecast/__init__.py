"""Forecasts of a queue, their scores, and the effect of more runners."""
