"""Threads: a body computed for each point of a space of ids."""
