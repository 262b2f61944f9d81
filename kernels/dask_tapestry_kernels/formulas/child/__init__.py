"""Modules of formulas that compiling processes import."""
