"""An incident's timeline, as Markdown and as JSON."""
