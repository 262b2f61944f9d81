"""Rewriting: the passes of rules that a graph goes through, and the forms that nodes take."""
