"""Compiled folds of leaves; imported by the compiling child process alone."""
