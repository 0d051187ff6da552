"""Levers on a pool's capacity, one file per kind; `table.py` names them."""
