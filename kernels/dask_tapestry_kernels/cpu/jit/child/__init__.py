"""What only the compiling child process runs: the compiler, and intrinsics of memory."""
