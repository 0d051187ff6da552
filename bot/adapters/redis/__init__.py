"""Redis and Valkey: connections, safety checks, scripts, and the embedded server."""
