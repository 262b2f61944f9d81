"""Cells in order: sorting, searching, sets."""
