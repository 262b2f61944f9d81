"""Arrays made from nothing, or copied."""
