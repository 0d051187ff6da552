"""Signals of machines and services: ready-made sets, and those of tailback.toml."""
