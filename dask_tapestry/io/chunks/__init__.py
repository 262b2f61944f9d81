"""Stored chunks: what they cost, and how they are decoded and encoded."""
