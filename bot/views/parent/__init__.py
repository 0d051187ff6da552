"""The parent message of an incident's thread."""
