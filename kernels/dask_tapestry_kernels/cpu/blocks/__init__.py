"""Kernels of whole blocks: selectors, generators, sorting, bins, products, user functions."""
