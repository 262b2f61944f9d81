"""Write docs/rules.md: what the rules rewrite, from their docstrings.

python docs/rules.py
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "kernels")]

from dask_tapestry.operators import order_statistics, sort  # noqa: E402
from dask_tapestry.operators.contraction import in_parts  # noqa: E402
from dask_tapestry.operators.scan import after_totals, in_leaves  # noqa: E402
from dask_tapestry.operators.tree_reduction import in_nodes  # noqa: E402
from dask_tapestry.plan.passes import passes  # noqa: E402
from dask_tapestry.rules.broadcasts import BROADCAST_RULES  # noqa: E402
from dask_tapestry.rules.constants import CONSTANT_RULES  # noqa: E402
from dask_tapestry.rules.fast_math import FAST_RULES  # noqa: E402
from dask_tapestry.rules.formulas import FORMULA_RULES  # noqa: E402
from dask_tapestry.rules.joint_reductions import join_reductions  # noqa: E402
from dask_tapestry.rules.linear import LINEAR_RULES  # noqa: E402
from dask_tapestry.rules.matrix_chains import CHAIN_RULES  # noqa: E402
from dask_tapestry.rules.products import PRODUCT_RULES  # noqa: E402
from dask_tapestry.rules.scalar_identities import CELL_RULES  # noqa: E402
from dask_tapestry.rules.views import VIEW_RULES  # noqa: E402

PAGE = ROOT / "docs" / "rules.md"
SAME, PRODUCTS, OTHER = "stay", "as of another product", "may change"
CELLS = sorted({r for rules in CELL_RULES.values() for r in rules}, key=lambda r: r.__name__)
SECTIONS = (
    ("Selectors", SAME, VIEW_RULES),
    ("Constants and formulas", SAME, (*CONSTANT_RULES, *FORMULA_RULES)),
    ("Cells, inside formulas", SAME, CELLS),
    ("Reductions of equal cells", SAME, BROADCAST_RULES),
    ("Reductions of the same cells", SAME, (join_reductions,)),
    ("Matrix products", PRODUCTS, (*LINEAR_RULES, *PRODUCT_RULES, *CHAIN_RULES)),
    ('Only with `algebra="fast"`', OTHER, FAST_RULES),
)
FORMS = (
    ("nodes", in_nodes, SAME),
    ("parts", in_parts, PRODUCTS),
    ("leaves", in_leaves, SAME),
    ("totals", after_totals, SAME),
    ("columns", sort.in_columns, SAME),
    ("columns", order_statistics.in_columns, SAME),
)
HEAD = """# The rules

`python docs/rules.py` writes this page from the rules themselves. Before a plan is made, rules
rewrite the graph into one that computes the same values for less; the plan's trace names each that
fired. A rule is a function of a node in `dask_tapestry/rules/`, whose docstring begins
*before -> after*; where it matters it is told which nodes are read more than once.

```python
>>> import numpy as np
>>> import dask_tapestry as dt
>>> x = dt.asarray(np.arange(12.0).reshape(3, 4))
>>> p = (x @ x.T).sum().plan()
>>> [change.rule for change in p.trace().changes if "product" in change.rule]
['sum_of_product']
>>> print(p.teg)
%0 = memory() : float64[3, 4]
%1 = reduce(%0, sum, axes=(0,)) : float64[4]
%2 = elementwise(%1) : float64[4]  # multiply(%1, %1)
%3 = reduce(%2, sum, axes=(0,)) : float64[]
return %3

```

*Bits* tells what becomes of floating-point results. They **stay** where nothing is computed in
another order. Matrix products end in BLAS, which adds in an order of its own for every shape of
block: a rule on them yields what a product of other blocks might, within the same rounding, and
overflows where partial sums do. Rules that go further are off unless asked for:

```python
>>> str((x / 3).plan().teg).splitlines()[1]
'%1 = elementwise(%0) : float64[3, 4]  # divide(%0, 3.0)'
>>> with dt.config(algebra="fast"):
...     str((x / 3).plan().teg).splitlines()[1]
'%1 = elementwise(%0) : float64[3, 4]  # multiply(%0, 0.3333333333333333)'

```

Some rewrites that look alike are missing on purpose. `x + 0.0` turns -0.0 into 0.0. Of a variance's
partial results, which hold a mean, `mean` is not read: they combine means, `mean` combines sums,
and more than half of all means would differ in the last bit. A least or greatest float is not taken
across copies together with other axes: which of two zeros it is depends on their order.
"""


FORMS_HEAD = """
## Forms

What an operator folds or orders as a whole can be cut along that dimension too. Such *forms* are
no rules: the operator declares them (`forms` of `dask_tapestry/teg/operator.py`), and a plan takes
one, of one size, where that costs less.

| form | before → after | bits |
|---|---|---|
"""


def page():
    """The page as text."""
    parts = [HEAD]
    for title, bits, rules in SECTIONS:
        parts.append(f"\n## {title}\n\n| rule | before → after | bits |\n|---|---|---|\n")
        parts += [f"| `{rule.__name__}` | {what(rule)} | {bits} |\n" for rule in rules]
    parts.append(FORMS_HEAD)
    parts += [f"| {name} | {what(maker)} | {bits} |\n" for name, maker, bits in FORMS]
    return "".join(parts)


def what(rule):
    """First paragraph of a rule's docstring, on one line of a table."""
    lines = rule.__doc__.strip().split("\n\n")[0].split()
    return " ".join(lines).replace("|", "\\|").replace("``", "`")


def listed():
    """All rules on the page."""
    return {rule for _, _, rules in SECTIONS for rule in rules}


def used():
    """All rules that planning uses, but for those that the planner itself decides on."""
    return {r for p in passes((), fast=True) if isinstance(p.rules, tuple) for r in p.rules}


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
    print(f"wrote {PAGE.relative_to(ROOT)}")
