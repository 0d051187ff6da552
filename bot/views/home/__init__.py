"""App Home, and private lists."""
