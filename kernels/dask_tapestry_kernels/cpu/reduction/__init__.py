"""Reductions over the canonical tree, by compiled folds of leaves or by NumPy."""
