"""The words for ids and values."""
