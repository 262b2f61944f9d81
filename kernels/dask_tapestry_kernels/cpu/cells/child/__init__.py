"""What compiled cell expressions are made of; imported by the compiling child process alone."""
