"""Back ends for silences and firing alerts, one file per kind; `bot/adapters/registry.py` lists them."""
