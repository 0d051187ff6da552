"""Alert payloads become deliveries: pure functions, one file per format."""
