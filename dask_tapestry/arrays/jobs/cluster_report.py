"""The report of a check of a cluster: what each process is, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any, final

from dask.utils import format_bytes

from dask_tapestry.arrays.jobs.host_facts import Facts


@final
class ClusterReport:
    """What `check_cluster` has found.

    {Parameters}
        facts: Of each process, by its name.
        problems: What is to be mended before work is lost, and how.
        notes: What is worth knowing, and harms nothing.
    """

    __slots__ = ("facts", "notes", "problems")

    def __init__(
        self, facts: dict[str, Facts], problems: Sequence[str], notes: Sequence[str]
    ) -> None:
        self.facts, self.problems, self.notes = facts, tuple(problems), tuple(notes)

    @property
    def ok(self) -> bool:
        """Whether there are no problems."""
        return not self.problems

    def rows(self) -> list[tuple[str, ...]]:
        """A row for each process, below the names of the columns."""
        head = ("process", "host", "threads", "cores", "memory", "scratch", "dask_tapestry")
        return [head, *[_row(name, facts) for name, facts in self.facts.items()]]

    def __repr__(self) -> str:
        rows = self.rows()
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [
            "  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip()
            for row in rows
        ]
        lines += [f"problem: {text}" for text in self.problems]
        lines += [f"note: {text}" for text in self.notes]
        count = len(self.problems)
        end = "no problems" if not count else f"{count} problem{'s' * (count > 1)}"
        return "\n".join([*lines, end])

    def _repr_html_(self) -> str:
        head, *rows = self.rows()
        table = "".join(_html_row("td", row) for row in rows)
        told = [("problem", t) for t in self.problems] + [("note", t) for t in self.notes]
        items = "".join(f"<li><b>{kind}</b>: {escape(text)}</li>" for kind, text in told)
        verdict = "no problems" if self.ok else f"{len(self.problems)} problems"
        return f"<table>{_html_row('th', head)}{table}</table><ul>{items}</ul><p>{verdict}</p>"


def _html_row(kind: str, cells: Sequence[str]) -> str:
    return "<tr>" + "".join(f"<{kind}>{escape(cell)}</{kind}>" for cell in cells) + "</tr>"


def _row(name: str, facts: Facts) -> tuple[str, ...]:
    is_worker = "threads" in facts
    memory = facts["limit"] if is_worker else facts["memory"]
    scratch = "-"
    if is_worker:
        scratch = f"{format_bytes(facts['scratch_free'])} {facts['scratch_kind']}".strip()
    columns: list[Any] = [
        name,
        facts["host"],
        facts.get("threads", "-"),
        facts["cores"],
        format_bytes(memory) if memory else "no limit",
        scratch,
        f"{facts['versions']['dask_tapestry']} ({facts['code'][:6]})",
    ]
    return tuple(map(str, columns))
