"""Resuming: what a write is known by, and what of it is still missing."""
