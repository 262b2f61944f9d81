"""Draws `frontier.svg`, the plans that a search finds for a product of a tall matrix with itself.

    python docs/frontier.py

The page `how-a-plan-is-found.md` shows it.
"""

from __future__ import annotations

from pathlib import Path

import dask_tapestry as dt
from dask_tapestry.diagnostics.charts import frontier_svg

STYLE = (
    "<style>text{font:11px sans-serif;fill:#444}.axis{stroke:#999;fill:none}"
    ".plan{fill:#9ab}.chosen{fill:#c33}</style>"
)


def frontier() -> dt.Plan:
    """The plan whose frontier is drawn."""
    x = dt.placeholder((200_000, 20_000), "float64", stored_chunks=(2000, 2000))
    machines = dt.Resources(workers=16, threads=4, memory="16 GiB")
    return dt.plan(x.T @ x, resources=machines)


def drawing() -> str:
    """The picture, complete in itself."""
    plan = frontier()
    svg = frontier_svg([cost for cost, _ in plan.frontier], plan.cost, "bytes_moved")
    head, _, rest = svg.partition(">")
    return f'{head} xmlns="http://www.w3.org/2000/svg">{STYLE}{rest}'


if __name__ == "__main__":
    (Path(__file__).parent / "frontier.svg").write_text(drawing() + "\n", "utf-8")
    print("wrote docs/frontier.svg")
