"""What a person can do about an incident: acknowledge, mute, draw, close, list, try again."""
