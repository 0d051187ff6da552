"""The API and the tools."""
