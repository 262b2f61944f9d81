"""docs/rules.md lists every rule, as its docstring has it."""

import importlib.util
from pathlib import Path

import pytest

import dask_tapestry.rules
from dask_tapestry.planner.rewriting.passes import passes

DOCS = Path(__file__).parent.parent / "docs"


@pytest.fixture(scope="module")
def rules():
    spec = importlib.util.spec_from_file_location("rules_page", DOCS / "rules.py")
    page = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(page)
    return page


def test_the_page_is_up_to_date(rules):
    written = (DOCS / "rules.md").read_text("utf-8")
    assert rules.page() == written, "run `python docs/rules.py`"


def test_every_rule_in_use_is_listed(rules):
    assert rules.used() <= rules.listed()


def test_every_module_of_rules_has_a_listed_rule(rules):
    modules = {Path(p).stem for p in Path(dask_tapestry.rules.__path__[0]).glob("*.py")}
    whole_graph = {"effects", "open_constants", "open_views", "result_devices"}
    whole_graph |= {"results_apart", "slice_pushdown", "unfuse"}
    shared = {  # what rules ask, and forms that nodes take before the search
        "chosen_lines",
        "common_formulas",
        "computed_on_host",
        "extensions",
        "joint_passes_apart",
        "joint_products",
        "joint_windows",
        "held_again",
        "masked_inserts",
        "reduction_node_overlaps",
        "stencil_formulas",
        "repeated_steps",
        "shared_cells",
        "tiled_reductions",
        "tuning",
    }
    assert modules - {"__init__"} - whole_graph - shared == {
        r.__module__.rpartition(".")[2] for r in rules.listed()
    }


def test_every_rule_says_before_and_after(rules):
    for rule in rules.listed():
        before, _, after = rule.__doc__.split("\n\n")[0].partition("->")
        assert before.startswith("``")
        assert after


def test_every_pass_is_on_the_page(rules):
    named = [p.name for p in passes((), fast=True)]
    assert named == [name for name in named if f"\n| {name} | " in rules.page()]
