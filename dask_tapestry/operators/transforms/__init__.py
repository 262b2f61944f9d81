"""Transforms: discrete Fourier transforms."""
