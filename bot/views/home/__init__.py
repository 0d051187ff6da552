"""App Home, and the lists that one person sees."""
