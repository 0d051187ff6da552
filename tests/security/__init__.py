"""Tests of the security checklist that stand nowhere else; docs/security.md names all of them."""
