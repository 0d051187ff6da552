"""Where a queue goes from here, how well that was predicted, and what more runners would do."""
