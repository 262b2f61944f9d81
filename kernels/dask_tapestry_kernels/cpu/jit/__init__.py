"""Compiled code in general: asking for it, keeping it on disk, giving it addresses."""
