"""The version of this release, the same as in pyproject.toml, which an installation without its metadata lacks."""

VERSION = "0.3.0.dev0"
