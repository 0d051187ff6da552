"""The page of the local workspace: its content and actions."""
