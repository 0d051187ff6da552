"""An incident and what follows for it: its moves, its plan, its timeline and its end."""
