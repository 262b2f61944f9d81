"""Numbers that decide something stand in one table a layer, each with where it comes from."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
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
    "arrays/core/docstrings": "WIDTH",
    "arrays/elementwise/formulas": "LEAST",
    "arrays/linalg/einsum": "ANY_SIZE",
    "arrays/linalg/gufunc_options": "OPERANDS",
    "arrays/manipulation/packed_bits": "BYTE",
    "arrays/ndimage/degrees": "COSINE RADIANS SINE",
    "arrays/random/orders": "WORD_BYTES",
    "arrays/random/parameters": "WORD",
    "arrays/random/seeds": "TAKEN_BYTES",
    "arrays/statistics/cumulative": "IDENTITY",
    "arrays/statistics/quantiles": "PERCENTS",
    "arrays/xarray/interpolated_dtypes": "POINTS",
    "arrays/user_functions/operator_shardings": "PIECES",
    "arrays/xarray/template_function": "WHOLE",
    "cells/lattice": "DIVISORS",
    "cells/reduction_tree": "LEAF_CELLS",
    "diagnostics/local_jobs": "NOTHING PAGE",
    "diagnostics/steps_picture": "HEATS",
    "io/chunks/chunk_decoders": "BLOCK DEFLATED GZIP REPEATED",
    "io/chunks/stored_buckets": "NO_BUCKET",
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
    "operators/reductions/few_values": "WORDS",
    "operators/reductions/group_fold": "MANY_FOLDS",
    "operators/transforms/fourier": "PRIMES",
    "operators/windows/convolution": "CHANNEL",
    "operators/windows/dilated_windows": "SPACE",
    "lower/errstate_reporting": "NUMBERS",
    "planner/access/worker_runs": "BASES",
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


@cache
def words_by_file() -> dict[Path, set[str]]:
    """The words of each module."""
    texts = {path: path.read_text("utf-8") for path in PACKAGE.rglob("*.py")}
    return {path: set(re.findall(r"\w+", text)) for path, text in texts.items()}


@pytest.mark.few(6)  # as unlike as so many can be
@pytest.mark.parametrize("table", TABLES, ids=lambda path: path.parent.name)
def test_each_number_says_where_it_comes_from_and_is_read(table):
    lines = table.read_text("utf-8").splitlines()
    layer = table.parent
    others = words_by_file()
    misses = []
    for name, statement in numbers(table):
        before, own = lines[statement.lineno - 2], lines[statement.lineno - 1]
        continued = lines[statement.end_lineno - 1]
        if not any("# " in line for line in (own, before, continued)) and not before:
            misses.append(f"{layer.name}: {name} says nothing")
        word = re.compile(rf"\b{name}\b")
        rest = [line for line in lines if word.search(line) and not line.startswith(name)]
        if not rest and not any(name in words for path, words in others.items() if path != table):
            misses.append(f"{layer.name}: nothing reads {name}")
    assert not misses, listed(misses)


def test_every_constant_is_read():
    """By its own module, one that imports it, or by name elsewhere; tests do not count."""
    texts = {path: path.read_text("utf-8") for path in sources() if path.suffix == ".py"}
    imported, attributes = set(), set()
    for text in texts.values():
        attributes |= set(re.findall(r"[.\"](_?[A-Z][A-Z0-9_]*)\b", text))  # `module.NAME`, "NAME"
        for module, names in re.findall(
            r"^ *from ([\w.]+) import (\([^)]*\)|.*)", text, re.MULTILINE
        ):
            imported |= {(module.rpartition(".")[2], name) for name in re.findall(r"\w+", names)}
    misses = []
    for path, text in texts.items():
        words = Counter(re.findall(r"\w+", text))
        for name in re.findall(r"^(_?[A-Z][A-Z0-9_]+)(?:: [^=\n]+)? = ", text, re.MULTILINE):
            if words[name] < 2 and name not in attributes and (path.stem, name) not in imported:
                misses.append(f"{relative(path)}: {name}")
    assert not misses, listed(misses)


def test_layers_have_tables():
    assert len(TABLES) >= 10


@pytest.mark.parametrize("table", TABLES, ids=lambda path: path.parent.name)
def test_headings_are_names_of_files(table):
    headings = re.findall(r"^# ([a-z_/]+)$", table.read_text("utf-8"), re.MULTILINE)
    assert not [name for name in headings if not (table.parent / f"{name}.py").is_file()]
