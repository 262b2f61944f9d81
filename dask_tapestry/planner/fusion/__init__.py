"""Fusion: which values are held, and the program of each step."""
