"""Everything that people read: pure functions from values to Block Kit, whose output is never parsed."""
