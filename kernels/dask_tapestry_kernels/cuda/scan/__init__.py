"""Scans over the canonical leaves on a GPU."""
