"""The numbers that decide something in `rewrite/`, each with where it comes from."""

from __future__ import annotations

from typing import Final

# Chosen: each comment says what it bounds or is a share of, and what follows from more or less.

# driver
LONGEST_CHAIN: Final = 1_000  # rewrites of one node; more means that two rules undo each other
STEPS_A_NODE: Final = 8  # that a rewrite may add to the chain where it moves through a graph
