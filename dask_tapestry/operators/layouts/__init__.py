"""Layouts: how and where a value is held."""
