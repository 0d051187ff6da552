"""The API's reads as tools of the Model Context Protocol."""
