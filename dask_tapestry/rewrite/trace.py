"""The record of what rules did."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Change:
    """One rewrite: the rule, and the node before and after as text."""

    rule: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.rule}: {self.before} -> {self.after}"


@dataclass
class Trace:
    """Rewrites in the order in which they happened."""

    changes: list[Change] = field(default_factory=list)

    def record(self, rule: str, before: str, after: str) -> None:
        """Add a rewrite."""
        self.changes.append(Change(rule, before, after))

    def __str__(self) -> str:
        return "\n".join(map(str, self.changes))

    def __len__(self) -> int:
        return len(self.changes)
