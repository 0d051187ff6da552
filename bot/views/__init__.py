"""What people read: pure functions from values to Block Kit; nothing is ever read back from what they draw."""
