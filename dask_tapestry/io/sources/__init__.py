"""Sources: what brings cells into an expression."""
