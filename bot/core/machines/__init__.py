"""What is judged of a pool's machines: those below the runners, and the room for more."""
