"""From a click or a command to a recorded request: permission, submission, execution."""
