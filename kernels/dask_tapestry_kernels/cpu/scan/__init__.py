"""Scans over the canonical tree: cumulative sums, products and extremes."""
