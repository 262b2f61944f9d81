import dask_tapestry as dt
from dask_tapestry.diagnostics.plan_summaries import told_whole
from dask_tapestry.diagnostics.plan_summary import NodeSummary, SignatureSummary
from dask_tapestry.diagnostics.step_details import Measured, step_details
from dask_tapestry.diagnostics.tuning import OPERATORS_LISTED


def step(*arrays):
    return told_whole(dt.plan(*arrays).core).steps[-1]


def product():
    x = dt.placeholder((400, 30), "f8", stored_chunks=(100, 30))
    return step(x @ x.T)


def test_operators_signatures_and_blocks_are_shown():
    text = step_details(product())
    assert "Operators inside" in text
    assert "matmul" in text
    assert "reduction" in text
    assert "[+1, 0]" in text
    assert "Some blocks" in text
    assert "Some blocks" not in step_details(product(), whole=False)


def test_measured_is_beside_predicted():
    text = step_details(product(), Measured(90.0, 2.0**20, 2.0**30))
    assert "1.5 min, result 1.00 MiB, worker peak 1.00 GiB" in text


def test_operators_of_a_step_are_not_all_listed():
    many = product()._replace(inside=(NodeSummary("x", "", "f8"),) * (OPERATORS_LISTED + 5))
    assert "and 5 operators more" in step_details(many)


def test_numbers_that_do_not_fit_are_left_out():
    odd = SignatureSummary(10**9, (("k", 3, "parallel"),), (("output", ("k",)),), ((), ((1,),)))
    assert "dimension" in step_details(product()._replace(signatures=(odd,), inside=()))
