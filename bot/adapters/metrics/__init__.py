"""Sources of queue figures, one file per kind; `table.py` names them."""
