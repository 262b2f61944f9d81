"""The compiler and intrinsics of memory, which only the compiling child process imports."""
