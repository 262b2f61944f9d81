"""Scans: running totals along an axis."""
