"""Redis and Valkey: connecting, refusing unsafe settings, scripts, and the server that comes along."""
