"""Tests of the security checklist that stand nowhere else; docs/explanation/security.md names all of them."""
