"""Scratch memory of kernels, by which operators tell the memory that they take."""

from __future__ import annotations

from typing import Final

SITES: Final = 2**18  # cells whose nearest sites are looked for
SCATTERED: Final = 2**20  # places of updates, 8 MB: updates may be many more
