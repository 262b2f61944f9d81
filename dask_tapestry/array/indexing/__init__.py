"""Cells at places: ``x[key]``, ``x[key] = value``, and the functions that do so."""
