"""Replies in the thread, the storm digest, early warnings and charts."""
