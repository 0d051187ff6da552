"""Back ends for silences and for what fires, one file per kind; `table.py` names them."""
