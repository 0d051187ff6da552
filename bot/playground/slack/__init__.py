"""A strict, stateful stand-in for Slack that tests and the demo talk to over real HTTP."""
