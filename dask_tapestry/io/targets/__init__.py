"""Targets: arrays that exist and are written into."""
