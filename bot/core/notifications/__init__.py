"""What a person is told later."""
