"""The dialogs that buttons open."""
