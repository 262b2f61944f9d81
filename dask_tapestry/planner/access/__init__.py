"""Access: which boxes the blocks of a step read, all of them, without listing blocks."""
