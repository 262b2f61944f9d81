"""Programs compiled by a child process and kept on disk, whatever device they are for."""
