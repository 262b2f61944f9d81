"""Reductions: monoids folded over axes, in the order of a canonical tree."""
