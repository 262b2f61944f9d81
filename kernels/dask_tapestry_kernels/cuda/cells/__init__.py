"""Cell expressions on a GPU."""
