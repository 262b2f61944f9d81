"""Kernels of matrices: what is wanted of a result, empty blocks, and stacks in one thread."""

import pickle

import numpy as np
import pytest

from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.blocks import matrices
from dask_tapestry_kernels.output_blocks import OutputAxis, OutputShape

A = np.random.default_rng(0).normal(size=(3, 4, 4))
WHOLE = tuple(slice(0, n) for n in A.shape)


@pytest.mark.parametrize("is_stack", [False, True])
def test_a_stack_has_one_thread_for_each_block(monkeypatch, is_stack):
    counts, asked = [], matrices.threads_each
    monkeypatch.setattr(matrices, "threads_each", lambda n: counts.append(n) or asked(n))
    made = KERNELS["inv"](None, A, keep=WHOLE, dtype=A.dtype, is_stack=is_stack)
    np.testing.assert_array_equal(made, np.linalg.inv(A))
    assert counts == [1 if is_stack else None]


def test_cells_that_are_wanted_of_a_result():
    keep = (slice(0, 3), slice(1, 3), slice(0, 2))
    made = KERNELS["inv"](None, A, keep=keep, dtype=np.dtype("f4"), is_stack=True)
    np.testing.assert_array_equal(made, np.linalg.inv(A).astype("f4")[keep])


def test_results_are_no_views_where_dtypes_came_over_a_network():
    """An equal dtype that was pickled is another object, of which `numpy.asarray` makes a view."""
    dtype = pickle.loads(pickle.dumps(A.dtype))
    whole = tuple(slice(0, n) for n in A.shape[1:])
    told = {"keep": whole, "dtype": dtype, "is_stack": False}
    assert KERNELS["copied"](None, A[0], **told).flags.owndata
    layouts = (OutputShape("0", dtype, (OutputAxis(None, 4), OutputAxis(None, 4))),)
    told = {"points": (), "outputs": layouts, "names": ("0", "1"), "is_stack": False}
    assert KERNELS["lupanel"](None, A[0], **told).arrays[0].flags.owndata


def test_nothing_is_called_for_no_cells():
    keep = (slice(0, 0), *WHOLE[1:])
    made = KERNELS["cholesky"](None, A, keep=keep, dtype=A.dtype, is_stack=True, upper=True)
    assert made.shape == (0, 4, 4)


def test_results_that_are_outputs():
    values = OutputShape("values", A.dtype, (OutputAxis(0, 1), OutputAxis(None, 4)))
    symmetric = A + A.transpose(0, 2, 1)
    told = {"outputs": (values,), "names": ("values", "vectors"), "is_stack": True}
    kernel = KERNELS["eigh"]
    made = kernel(None, symmetric, points=(3,), triangle="L", **told)
    np.testing.assert_array_equal(made["values"], np.linalg.eigh(symmetric)[0])
    assert kernel(None, symmetric[:0], points=(0,), triangle="L", **told)["values"].shape == (0, 4)


def test_completed_columns_keep_their_signs():
    q = -np.linalg.qr(A[0][:, :2]).Q
    made = matrices.complete_columns(q)
    np.testing.assert_array_equal(made[:, :2], q)
    np.testing.assert_allclose(made.T @ made, np.eye(4), atol=1e-14)


def test_the_inverses_of_a_stack_with_a_singular_matrix():
    singular = A.copy()
    singular[1] = 0
    made = matrices.inverse_or_nan(singular)
    assert np.isnan(made[1]).all()
    np.testing.assert_array_equal(made[[0, 2]], np.linalg.inv(A[[0, 2]]))


def test_packed_factors_hold_the_order_of_rows():
    packed = matrices.packed_lu(A[0])
    order = (packed[:, 4] * matrices.ROWS_A_DIGIT + packed[:, 5]).astype(int)
    lower, upper = np.tril(packed[:, :4], -1) + np.eye(4), np.triu(packed[:, :4])
    np.testing.assert_allclose(lower @ upper, A[0][order], atol=1e-14)
