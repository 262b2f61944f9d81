"""The operators of the graph language, one module each, and what they share."""
