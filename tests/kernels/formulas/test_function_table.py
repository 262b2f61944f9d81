"""The table of functions, beside what NumPy has and what `elementary` compiles."""

import pytest

from dask_tapestry.cells import UFUNCS
from dask_tapestry_kernels.elementary.functions import COMPLEX_FUNCTIONS, FUNCTIONS
from dask_tapestry_kernels.formulas import function_table
from dask_tapestry_kernels.formulas.function_table import ANY, FAR, NONE, RANGE, facts_of

STEPS = {"cast", "complex", "constant", "coordinate", "imag", "real", "where"}  # of formulas alone
ERRORS = (NONE, RANGE, FAR, ANY)
SPECIAL = {"erf", "erfc"}  # of `dt.special`


def test_every_entry_is_a_function_that_formulas_call():
    assert function_table.FUNCTIONS.keys() - UFUNCS.keys() == STEPS | SPECIAL


@pytest.mark.parametrize(("kind", "compiled"), [("f", FUNCTIONS), ("c", COMPLEX_FUNCTIONS)])
def test_functions_of_our_own_are_those_that_are_compiled(kind, compiled):
    ours = {name for name, facts in function_table.FUNCTIONS.items() if kind in facts.own}
    assert ours == set(compiled)


@pytest.mark.parametrize("name", sorted(function_table.FUNCTIONS))
def test_a_careful_form_is_one_of_a_function_of_our_own(name):
    facts = facts_of(name)
    assert set(facts.careful) <= set(facts.own) <= {"f", "c"}
    assert facts.errors in ERRORS
    assert facts.cost is None or facts.cost >= 1


def test_an_output_of_several_is_known_by_its_function_and_others_by_nothing():
    assert facts_of("divmod.0") == facts_of("divmod") != function_table.UNKNOWN
    assert facts_of("spacing") == facts_of("no such function") == function_table.UNKNOWN
