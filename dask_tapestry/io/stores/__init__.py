"""Stores: where stored arrays are, how they are opened, and small objects beside them."""
