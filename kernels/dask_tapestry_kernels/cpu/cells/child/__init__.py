"""Parts of compiled cell expressions; imported by the compiling child process alone."""
