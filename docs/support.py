"""Write docs/support.md: what the operators declare and what the table of comparisons tries.

python docs/support.py
"""

import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "kernels")]

import dask_tapestry as dt  # noqa: E402
from dask_tapestry.teg import Graph  # noqa: E402
from dask_tapestry.teg.operator import BlockOperator, signature_of  # noqa: E402
from tests.comparisons import COMPARISONS  # noqa: E402

PAGE = ROOT / "docs" / "support.md"
HEAD = """# What is supported

`python docs/support.py` writes this page from the operators' declarations and from the table of
comparisons that the tests run: each function is tried against NumPy for the listed kinds of dtype,
whole and under many shardings.

## Operators

The nodes of the graph language. *Cut* tells which kinds of dimension the signature has; of a
selector or generator any box can be computed. A *fused* operator is computed inside the steps that
read it, and *copies* says whether a block takes memory of its own.

| operator | kind | cut | fused | copies | what it is |
|---|---|---|---|---|---|
"""
FUNCTIONS = """
## Functions

*Kinds* are NumPy's letters: `b` bool, `i` `u` integers, `f` floats, `c` complex numbers, `m` `M`
times, `S` `U` strings. *Bits*: whether the value is NumPy's bit for bit, within units in the last
place (ulp), or within rounding; random numbers are a function of seed and coordinate, other ones
than NumPy's for that seed. *One value*: every sharding gives the same bits.

| function | kinds | bits | one value | made of |
|---|---|---|---|---|
"""


class Survey:
    """What the comparisons show of operators and functions."""

    def __init__(self):
        self.operators = {}
        self.cuts = defaultdict(set)
        self.kinds = defaultdict(set)
        self.parts = defaultdict(set)
        self.ulps = defaultdict(list)
        self.complex_ulps = defaultdict(list)
        self.one_value = defaultdict(lambda: True)

    def look(self, comparison):
        """Build a comparison once for each of its kinds of input."""
        name, tried = row_of(comparison), set()
        of_complex = comparison.name.endswith(" complex")
        (self.complex_ulps if of_complex else self.ulps)[name].append(comparison.ulp)
        self.one_value[name] &= comparison.one_value
        for inputs in comparison.inputs():
            kinds = tuple(x.dtype.kind for x in inputs)
            self.kinds[name] |= set(kinds)
            if kinds not in tried and all(x.size for x in inputs):
                tried.add(kinds)
                made = comparison.ours(dt, *map(dt.asarray, inputs))
                for result in made if isinstance(made, tuple | list) else [made]:
                    self.walk(name, result)

    def walk(self, name, result):
        """Note the operators of a result's graph."""
        for node in Graph([result.bound]):
            operator = node.operator
            if operator.category == "source":
                continue
            self.parts[name].add(operator.name)
            self.operators[operator.name] = operator
            if isinstance(operator, BlockOperator):
                index = signature_of(operator, node.input_types).index
                self.cuts[operator.name] |= {dim.kind.value for dim in index}


def row_of(comparison):
    """The function a comparison is of: a ufunc's methods are rows of their own."""
    first, *others = comparison.name.split()
    match others:
        case ["reduce", *_]:
            return f"{first}.reduce"
        case ["as", method, *_] if "." in method:
            return method
    return comparison.public


def operator_rows(survey):
    for name, operator in sorted(survey.operators.items()):
        cut = ", ".join(sorted(survey.cuts[name])) or "any box"
        fused, copies = (
            "yes" if flag else "no" for flag in (operator.transparent, operator.copies)
        )
        what = summary(type(operator))
        yield f"| `{name}` | {operator.category} | {cut} | {fused} | {copies} | {what} |"


def summary(cls):
    """First sentence of a class's docstring, on one line."""
    lines = (cls.__doc__ or "").strip().split("\n\n")[0].split()
    return " ".join(lines).replace("|", "\\|")


def function_rows(survey):
    for name in sorted(survey.kinds):
        if not hasattr(dt, name.partition(".")[0]):
            continue
        kinds = "".join(k for k in "biufcmMSU" if k in survey.kinds[name]) or "–"
        one = "yes" if survey.one_value[name] else "within rounding"
        parts = ", ".join(f"`{part}`" for part in sorted(survey.parts[name])) or "–"
        same = "its own stream" if name.startswith("random") else bits(survey.ulps[name])
        if survey.complex_ulps[name] and bits(survey.complex_ulps[name]) != same:
            same += f"; complex {bits(survey.complex_ulps[name])}"
        yield f"| `{name}` | {kinds} | {same} | {one} | {parts} |"


def bits(ulps):
    if None in ulps:
        return "within rounding"
    return f"{max(ulps)} ulp" if max(ulps) else "NumPy's"


def page():
    """The page as text."""
    survey = Survey()
    for comparison in COMPARISONS:
        survey.look(comparison)
    operators, functions = "\n".join(operator_rows(survey)), "\n".join(function_rows(survey))
    return HEAD + operators + "\n" + FUNCTIONS + functions + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
    print(f"wrote {PAGE.relative_to(ROOT)}")
