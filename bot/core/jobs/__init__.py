"""Single jobs: what is known of one by its address, and the kinds that they belong to."""
