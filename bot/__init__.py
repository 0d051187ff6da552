"""The product: what happens between an alert and a drained queue."""
