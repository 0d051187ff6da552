"""The simulated fleet's alert rules, silences, and the webhooks that it sends."""
