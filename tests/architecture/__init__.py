"""The rules of the code's structure: its layers, what each file may do, and what a contributor must not forget."""
