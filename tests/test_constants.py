"""Numbers that decide something stand in one table a layer, each with where it comes from."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.test_repository import PACKAGE, listed, relative, sources

TABLE = "tuning.py"
TABLES = sorted(PACKAGE.glob(f"*/{TABLE}"))
DEFINITIONS = {  # numbers that define something: another one would be wrong, not slower
    "amounts": "MOST",
    "arrays/array_api/dlpack": "CPU CUDA",
    "arrays/calibration/kernel_rates": "CROSS",
    "arrays/core/axis_names": "VARARGS",
    "arrays/elementwise/formulas": "LEAST",
    "arrays/linalg/gufunc_options": "OPERANDS",
    "arrays/manipulation/packed_bits": "BYTE",
    "arrays/ndimage/degrees": "COSINE RADIANS SINE",
    "arrays/random/orders": "WORD_BYTES",
    "arrays/random/parameters": "TAKEN_BYTES WORD",
    "arrays/statistics/cumulative": "IDENTITY",
    "arrays/statistics/quantiles": "PERCENTS",
    "arrays/user_functions/operator_shardings": "PIECES",
    "cells/lattice": "DIVISORS",
    "cells/reduction_tree": "LEAF_CELLS",
    "diagnostics/local_jobs": "NOTHING PAGE",
    "diagnostics/steps_picture": "HEATS",
    "io/chunks/chunk_decoders": "BLOCK GZIP REPEATED",
    "io/chunks/shard_index": "ABSENT CHECKSUM",
    "io/files/folder_exchange": "AT_CWD EXCHANGE",
    "io/files/folder_swap": "TEMPORARY",
    "json_form": "MOST",
    "operators/cells/elementwise": "PROBES",
    "operators/generators/arange": "LONGEST",
    "operators/indexing/bucket_shuffle": "ALONG",
    "operators/random/distributions": "HALF LARGEST LOW_HALF",
    "operators/random/permutation": "LONGEST",
    "operators/random/random_bits": "MOST_CELLS",
    "operators/reductions/group_fold": "MANY_FOLDS",
    "operators/transforms/fourier": "PRIMES",
    "operators/windows/convolution": "CHANNEL",
    "operators/windows/dilated_windows": "SPACE",
    "lower/errstate_reporting": "NUMBERS",
    "planner/access/overlaps": "ONE",
    "planner/long_jobs": "DAY ENDLESS YEAR",
    "planner/machine/rates": "FORMAT",
    "planner/rewriting/rule_choices": "ONE_SIZE",
    "planner/plan_json": "READ VERSION",
}
ALONE = {  # the only number of its layer
    "json_form": "SHOWN",
    "scheduler/dataset_versions": "GRACE",
    "settings": "BLOCK_BYTES",
    "zspace/cuts": "MOST_LISTED",
}


def is_number(value: ast.expr) -> bool:
    """Whether an expression is a number, several of them, or made of numbers."""
    match value:
        case ast.Constant(value=bool()):
            return False
        case ast.Constant():
            return isinstance(value.value, int | float)
        case ast.UnaryOp(operand=operand):
            return is_number(operand)
        case ast.BinOp(left=left, right=right):
            named = isinstance(left, ast.Name) and isinstance(right, ast.Name)  # may be sets
            return not named and is_number(left) and is_number(right)
        case ast.Tuple(elts=[*several]) | ast.Dict(values=[*several]):
            return bool(several) and all(map(is_number, several))
        case ast.Name(id=name):
            return name.isupper()
    return False


def numbers(path: Path) -> Iterator[tuple[str, ast.stmt]]:
    """Yield the constants of a module that are numbers, by name."""
    for statement in ast.parse(path.read_text("utf-8")).body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                pass
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                pass
            case _:
                continue
        if name.lstrip("_").isupper() and len(name) > 2 and is_number(value):
            yield name, statement


def allowed(home: str) -> list[str]:
    """Names of numbers that a module may have."""
    return f"{DEFINITIONS.get(home, '')} {ALONE.get(home, '')}".split()


def test_numbers_that_decide_are_in_the_table_of_their_layer():
    misses = []
    for path in sorted(PACKAGE.rglob("*.py")):
        home = path.relative_to(PACKAGE).with_suffix("").as_posix()
        if path.name != TABLE:
            misses += [f"{home}: {name}" for name, _ in numbers(path) if name not in allowed(home)]
    assert not misses, listed(misses)


def test_exceptions_are_there():
    for table in (DEFINITIONS, ALONE):
        for home, names in table.items():
            found = {name for name, _ in numbers(PACKAGE / f"{home}.py")}
            assert set(names.split()) <= found, home


@pytest.mark.parametrize("table", TABLES, ids=lambda path: path.parent.name)
def test_each_number_says_where_it_comes_from_and_is_read(table):
    lines = table.read_text("utf-8").splitlines()
    layer = table.parent
    texts = [path.read_text("utf-8") for path in PACKAGE.rglob("*.py") if path != table]
    misses = []
    for name, statement in numbers(table):
        before, own = lines[statement.lineno - 2], lines[statement.lineno - 1]
        continued = lines[statement.end_lineno - 1]
        if not any("# " in line for line in (own, before, continued)) and not before:
            misses.append(f"{layer.name}: {name} says nothing")
        word = re.compile(rf"\b{name}\b")
        rest = [line for line in lines if word.search(line) and not line.startswith(name)]
        if not rest and not any(map(word.search, texts)):
            misses.append(f"{layer.name}: nothing reads {name}")
    assert not misses, listed(misses)


def constants(tree: ast.Module) -> Iterator[str]:
    """Yield the upper-case names that a module binds."""
    for statement in tree.body:
        bound = [node for node in ast.walk(statement) if isinstance(node, ast.Name)]
        if isinstance(statement, ast.Assign | ast.AnnAssign):
            names = {node.id for node in bound if isinstance(node.ctx, ast.Store)}
            yield from (name for name in names if name.lstrip("_").isupper())


def read_names(trees: list[ast.Module]) -> set[tuple[str, str]]:
    """Names that modules import from others, and, of no module, attributes that are looked up."""
    found = set()
    for node in (node for tree in trees for node in ast.walk(tree)):
        if isinstance(node, ast.ImportFrom):
            found |= {((node.module or "").rpartition(".")[2], alias.name) for alias in node.names}
        elif isinstance(node, ast.Attribute):
            found.add(("", node.attr))
    return found


def test_every_constant_is_read():
    """By its own module, by one that imports it, or as an attribute; tests alone do not count."""
    paths = [path for path in sources() if path.suffix == ".py"]
    trees = {path: ast.parse(path.read_text("utf-8")) for path in paths}
    known, misses = read_names(list(trees.values())), []
    for path, tree in trees.items():
        names = (node for node in ast.walk(tree) if isinstance(node, ast.Name))
        loaded = {node.id for node in names if isinstance(node.ctx, ast.Load)}
        for name in constants(tree):
            if name not in loaded and not {(path.stem, name), ("", name)} & known:
                misses.append(f"{relative(path)}: {name}")
    assert not misses, listed(misses)


def test_layers_have_tables():
    assert len(TABLES) >= 10
