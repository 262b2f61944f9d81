"""Write docs/rules.md: what the rules rewrite, from their docstrings.

python docs/rules.py
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "kernels")]

from dask_tapestry.operators.reductions.contraction import in_parts  # noqa: E402
from dask_tapestry.operators.reductions.tree_reduction import in_nodes  # noqa: E402
from dask_tapestry.operators.scans.scan import after_totals, in_leaves  # noqa: E402
from dask_tapestry.operators.sorting import among, order_statistics, search, set_cells, sort  # noqa: E402
from dask_tapestry.planner.rewriting.passes import passes  # noqa: E402
from dask_tapestry.rules.alike_pieces import formula_after_join  # noqa: E402
from dask_tapestry.rules.alike_reductions import stack_alike_reductions  # noqa: E402
from dask_tapestry.rules.asked_layouts import leave_layout  # noqa: E402
from dask_tapestry.rules.batching_dims import BATCHING_RULES, decompose_batching  # noqa: E402
from dask_tapestry.rules.broadcasts import BROADCAST_RULES  # noqa: E402
from dask_tapestry.rules.cells_at_extremes import take_while_folding  # noqa: E402
from dask_tapestry.rules.chunks_apart import read_in_steps, take_where_apart  # noqa: E402
from dask_tapestry.rules.constants import CONSTANT_RULES  # noqa: E402
from dask_tapestry.rules.ends_of_lanes import take_ends_of_lanes  # noqa: E402
from dask_tapestry.rules.fast_math import FAST_RULES  # noqa: E402
from dask_tapestry.rules.formula_identities import FORMULA_RULES  # noqa: E402
from dask_tapestry.rules.forward_fills import fill_forward_by_scan  # noqa: E402
from dask_tapestry.rules.grouped_lines import fold_lines_together  # noqa: E402
from dask_tapestry.rules.insert_chains import join_inserts  # noqa: E402
from dask_tapestry.rules.inserted_parts import read_before_inserts  # noqa: E402
from dask_tapestry.rules.joined_sources import source_of_all  # noqa: E402
from dask_tapestry.rules.joint_bin_counts import join_bin_counts  # noqa: E402
from dask_tapestry.rules.joint_group_folds import join_group_folds  # noqa: E402
from dask_tapestry.rules.joint_order_statistics import join_order_statistics  # noqa: E402
from dask_tapestry.rules.joint_passes_apart import in_a_pass_of_their_own  # noqa: E402
from dask_tapestry.rules.joint_products import joint_product  # noqa: E402
from dask_tapestry.rules.joint_reductions import join_reductions  # noqa: E402
from dask_tapestry.rules.joint_windows import in_joint_windows  # noqa: E402
from dask_tapestry.rules.linear import LINEAR_RULES  # noqa: E402
from dask_tapestry.rules.matrix_chains import CHAIN_RULES  # noqa: E402
from dask_tapestry.rules.merged_dims import MERGED_DIM_RULES  # noqa: E402
from dask_tapestry.rules.outputs import OUTPUT_RULES, keep_outputs_read, output_alone  # noqa: E402
from dask_tapestry.rules.overlapping_parts import share_overlapping_parts  # noqa: E402
from dask_tapestry.rules.products import PRODUCT_RULES  # noqa: E402
from dask_tapestry.rules.products_in_tiles import multiply_before_merge  # noqa: E402
from dask_tapestry.rules.products_of_vectors import fold_products_of_vectors  # noqa: E402
from dask_tapestry.rules.repeated_parts import part_before_repeats  # noqa: E402
from dask_tapestry.rules.scalar_identities import CELL_RULES  # noqa: E402
from dask_tapestry.rules.selected_folds import fold_selections_together  # noqa: E402
from dask_tapestry.rules.selections import (  # noqa: E402
    fold_groups_where_selected,
    fold_where_selected,
    slice_where_regular,
)
from dask_tapestry.rules.spaced_sources import space_what_is_read  # noqa: E402
from dask_tapestry.rules.stencil_loops import fuse_stencil_loops  # noqa: E402
from dask_tapestry.rules.symmetric_products import share_turned_formulas  # noqa: E402
from dask_tapestry.rules.tables_in_any_order import search_unsorted  # noqa: E402
from dask_tapestry.rules.takes_along import take_along_own_places  # noqa: E402
from dask_tapestry.rules.tiled_reductions import in_one_pass  # noqa: E402
from dask_tapestry.rules.turned_folds import fold_before_turning  # noqa: E402
from dask_tapestry.rules.views import VIEW_RULES  # noqa: E402

PAGE = ROOT / "docs" / "rules.md"
SAME, PRODUCTS, OTHER = "stay", "as of another product", "may change"
ROUNDED = "within rounding"
CELLS = sorted({r for rules in CELL_RULES.values() for r in rules}, key=lambda r: r.__name__)
SECTIONS = (
    ("Selectors", SAME, VIEW_RULES),
    ("Loops of stencils", SAME, (fuse_stencil_loops,)),
    ("Constants and formulas", SAME, (*CONSTANT_RULES, *FORMULA_RULES)),
    ("Cells, inside formulas", SAME, CELLS),
    ("Reductions of equal cells", SAME, BROADCAST_RULES),
    ("Reductions of turned arrays", SAME, (fold_before_turning,)),
    (
        "Reductions of the same cells",
        SAME,
        (take_while_folding, join_reductions, join_group_folds, join_bin_counts),
    ),
    (
        "Alike values",
        SAME,
        (
            join_order_statistics,
            fold_lines_together,
            fold_selections_together,
            stack_alike_reductions,
            formula_after_join,
        ),
    ),
    ("Parts of changed values", SAME, (read_before_inserts, join_inserts)),
    (
        "Stored arrays and parts of them",
        SAME,
        (source_of_all, space_what_is_read, share_overlapping_parts),
    ),
    ("Forward fills", SAME, (fill_forward_by_scan,)),
    ("Ends of sorted lanes", SAME, (take_ends_of_lanes,)),
    ("Tables that are searched", SAME, (search_unsorted,)),
    ("Selected cells", SAME, (slice_where_regular, take_where_apart, read_in_steps)),
    ("Parts that meet all cells", SAME, (part_before_repeats,)),
    ("Layouts that no worker can hold", SAME, (leave_layout,)),
    ("Reductions of selected cells", ROUNDED, (fold_where_selected, fold_groups_where_selected)),
    ("Cells of merged dimensions", ROUNDED, (multiply_before_merge, *MERGED_DIM_RULES)),
    ("Gather and scatter", SAME, (take_along_own_places, *BATCHING_RULES, decompose_batching)),
    ("Several outputs", SAME, (*OUTPUT_RULES, keep_outputs_read)),
    ("One output of matrices' factors", ROUNDED, (output_alone,)),
    (
        "Matrix products",
        PRODUCTS,
        (
            *LINEAR_RULES,
            *PRODUCT_RULES,
            *CHAIN_RULES,
            share_turned_formulas,
            fold_products_of_vectors,
        ),
    ),
    ('Only with `algebra="fast"`', OTHER, FAST_RULES),
)
FORMS = (
    ("nodes", in_nodes, SAME),
    ("tiles", in_one_pass, SAME),
    ("one read", in_joint_windows, SAME),
    ("one product", joint_product, PRODUCTS),
    ("apart", in_a_pass_of_their_own, SAME),
    ("parts", in_parts, PRODUCTS),
    ("leaves", in_leaves, SAME),
    ("totals", after_totals, SAME),
    ("exchange", sort.by_exchange, SAME),
    ("exchange", order_statistics.by_exchange, SAME),
    ("exchange", search.by_exchange, SAME),
    ("exchange", among.by_exchange, SAME),
    ("exchange", set_cells.by_exchange, SAME),
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
one, of one size, where that costs less. *Tiles* are a form that several reductions take together,
after the passes and before other forms.

| form | before → after | bits |
|---|---|---|
"""

PASSES = """
## The passes

Rules work in passes, one after the other, each over the whole graph:

| pass | rules | how often |
|---|---|---|
| annotations | equal operators with [annotations](coming-from-dask.md#annotations) are one | once |
| as written | the user's semantic ones | until none applies |
| *a rule's name* | one of the user's that says so | as often as it says |
| loops | steps of stencils that repeat are computed several at a time | once |
| simplify | selectors, constants, formulas, reductions, `linear`, the user's | until none applies |
| takes along axes | cells taken at own places are taken along one axis; *simplify* | until none |
| forward fills | cells taken at running maxima of places that have one are a scan | once |
| merged dimensions | folds and products of what was merged | until none applies |
| products | matrix products, and those of *simplify* again | until none applies |
| inserted parts | parts of what was assigned are read from what it came from | once |
| insert chains | what is assigned part by part is joined | once |
| slices | no operator computes more than is read of it; then *simplify* again | once |
| ends of lanes | what shows the first or last cells of sorted lanes chooses them from runs | once |
| tables in any order | long tables that are sorted only for a search are searched unsorted | once |
| cells at extremes | a fold to places carries the cells that are taken there | until none is |
| joint ranks | order statistics of the same lanes are found together | once |
| grouped lines | folds of many groups of lines of an array are one | once |
| selected folds | folds of many selections of the same cells are one | once |
| alike reductions | many alike reductions are one with an axis more | until none are |
| alike pieces | joins of many alike formulas are a formula of joins; *simplify* | until none |
| spaced sources | files with gaps are made of those without, if read too | once, if any |
| turned folds | folds of turned arrays fold them as they lie; *simplify* | until none are, if any |
| vector products | those of an array that is folded as well are sums | once, if there are any |
| joint reductions | reductions of the same cells are one | until no two are left |
| joint group folds | folds by the same labels are one | once, if there are any |
| joint bin counts | histograms of the same cells are one | once, if there are any |
| overlapping parts | those of a stored array are parts of one | once, if there are any |
| chunks apart | of stored data, chunks without cells that are wanted are not read | once |
| repeated parts | few stored cells that meet all others are a value of their own | once |
| turned formulas | a formula times itself turned is computed once | once |
| outputs | outputs that nobody reads are left out, of one alone the rest | until each is read |

In whatever order rules of *simplify* are tried, and wherever in the graph one begins, they lead to
one graph; tests shuffle them. One is an exception: `selector_before_elementwise` moves formulas
past selectors, and where that ends depends on what was composed before. Nodes are visited inputs
first, so plans do not depend on it.
"""
OWN = """
## Rules of your own

A rule is a function of a node. It returns what computes the same value, an array or a node, or None
where it has nothing to say; `dt.rule` says at which operators it begins. The rules in
`dt.config(rules=[...])`, or in Dask's configuration under `tapestry.rules` (there also as text,
`"module:name"`), are in force:

```python
>>> @dt.rule(on="sort")
... def in_order_already(node):
...     "``sort(sort(x)) -> sort(x)``."
...     (x,) = node.inputs
...     return x if x.operator == node.operator else None
>>> twice = dt.sort(dt.sort(x))
>>> with dt.config(rules=[in_order_already]):
...     print(twice.plan().teg)
%0 = memory() : float64[3, 4]
%1 = sort(%0, axis=1) : float64[3, 4]
return %1

```

What a rule may look at: `node.operator`, whose `name` and parameters the graph prints, and which
equals another exactly when all of them do; `node.inputs`; `node.type` and `node.input_types`, with
`shape` and `dtype`. What it may make: nodes it has found; arrays of them, as `dt.Array(node)` is
one and all functions of arrays work on it; and `dt.apply(operator, *inputs)`. It must depend on the
node alone and change nothing. `on=` takes names, classes of `dask_tapestry.operators`, operators
that `dt.block_operator` made, and lists of these.

There are three kinds. *Optimisations* are better wherever they apply; they are tried with the
built-in rules and before them, on a graph in which permutes and slices are views already.
*Semantic* rules say what something means, on the graph as it was written:

```python
>>> @dt.rule(on="permute", kind="semantic")
... def turned_back(node):
...     "``permute(permute(x)) -> x``, of matrices."
...     (x,) = node.inputs
...     return x.inputs[0] if x.operator == node.operator and node.type.ndim == 2 else None
>>> with dt.config(rules=[turned_back]):
...     [change.rule for change in x.T.T.plan().trace()]
['turned_back']

```

A *choice* may be better or not. It is kept beside what it would replace, and the plan of the whole
graph decides, with it and without it:

```python
>>> @dt.rule(on="reduce", kind="choice")
... def largest_of_sorted(node):
...     "``max(sort(x)) -> max(x)``."
...     (x,) = node.inputs
...     if node.operator.monoid == "max" and x.operator.name == "sort":
...         return dt.Array(x.inputs[0]).max(axis=node.operator.axes)
>>> @dt.rule(on="reduce", kind="choice")
... def smallest_of_sorted(node):
...     "``min(x) -> min(sort(x))``, which is never cheaper."
...     (x,) = node.inputs
...     if node.operator.monoid == "min" and x.operator.name != "sort":
...         return dt.sort(dt.Array(x)).min(axis=node.operator.axes)
>>> big = dt.placeholder((1_000_000,), "float64")
>>> with dt.config(rules=[largest_of_sorted, smallest_of_sorted]):
...     p = dt.plan(dt.sort(big).max(), big.min())
...     [change.rule for change in p.trace() if "sorted" in change.rule]
['largest_of_sorted']

```

A rule is tried until it applies no more. One that always applies again says how often it goes over
the graph, as in `times=1`; else it is found out:

```python
>>> @dt.rule(on="sort")
... def turned(node):
...     "``sort(x) -> flip(-sort(-x))``."
...     (x,) = node.inputs
...     axis = node.operator.axis
...     return dt.flip(-dt.sort(-dt.Array(x), axis=axis), axis)
>>> try:
...     with dt.config(rules=[turned]):
...         dt.sort(x).plan()
... except dt.PlanError as error:
...     print(str(error).partition(" (")[0])
rules do not come to an end at <sort float64[3, 4]>: turned

```

A result of another shape or dtype is an error that names the rule and the node. Whether the values
are the same, no planner can see: test it.

## What happened

`p.trace()` has each rewrite, with the nodes before and after, and makes them again on the graph
that was written. `p.abstract()` goes the other way: from the steps of the plan to the graph that
they compute, without the forms in which operators are cut. `dt.verify` compares that with what
should be computed, and names the first difference:

```python
>>> p = big.sum().plan(resources=dt.Resources(workers=64, threads=1, memory="1 GiB"))
>>> p.trace().replay(big.sum().teg) == p.teg
True
>>> print(p.abstract())
%0 = placeholder() : float64[1000000]
%1 = reduce(%0, sum, axes=(0,)) : float64[]
return %1
>>> dt.verify(p, big.sum())
>>> try:
...     dt.verify(p, big.max())
... except dt.PlanError as error:
...     print(str(error).partition(" : ")[0])
result 0 is another value: the plan computes reduce(placeholder, sum, axes=(0,))

```
"""


def page():
    """The page as text."""
    parts = [HEAD, PASSES]
    for title, bits, rules in SECTIONS:
        parts.append(f"\n## {title}\n\n| rule | before → after | bits |\n|---|---|---|\n")
        parts += [f"| `{rule.__name__}` | {what(rule)} | {bits} |\n" for rule in rules]
    parts.append(FORMS_HEAD)
    parts += [f"| {name} | {what(maker)} | {bits} |\n" for name, maker, bits in FORMS]
    return "".join([*parts, OWN])


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
