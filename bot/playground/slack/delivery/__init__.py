"""How the local workspace delivers events: by HTTP and by Socket Mode."""
