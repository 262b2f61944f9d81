"""Naming of an operator: in graphs, explanations, errors and keys of tasks."""

from __future__ import annotations

from typing import ClassVar


class NamingContract:
    """The names and texts of an operator.

    Printers of graphs and plans ask for them, and so do errors, dashboards and task keys. An
    operator of a user's function says the function's name.

    Class attributes
    ----------------
    name
        The operator's name in graphs, plans and task keys: letters only.
    category
        The kind of node, for printing and pictures alone.
    """

    name: ClassVar[str]
    category: ClassVar[str] = "operator"

    @property
    def label(self) -> str:
        """What explanations, errors and keys of tasks call it: its name, or a user function's."""
        return self.name

    @property
    def called(self) -> str:
        """First word of the name of an array that it makes; empty if that stays its input's."""
        return self.label

    def text(self) -> str:
        """Parameters as the graph prints them."""
        return ""

    def way_out(self) -> str:
        """What to do where its smallest block is too large for a worker; nothing by default."""
        return ""
