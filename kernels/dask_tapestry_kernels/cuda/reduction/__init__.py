"""Reductions over the canonical tree on a GPU."""
