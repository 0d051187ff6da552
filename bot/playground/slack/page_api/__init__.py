"""What the page of the local workspace shows and does."""
