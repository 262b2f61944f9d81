"""Kernels of whole blocks on a GPU."""
