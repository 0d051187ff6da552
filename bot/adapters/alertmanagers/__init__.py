"""Back ends for silences and firing alerts, one file per kind; `registry.py` lists them."""
