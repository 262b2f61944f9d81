"""Functions of blocks and cells, a user's or another library's, held by an operator."""
