import inspect
import pickle

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry import errors

CLASSES = [
    e for _, e in inspect.getmembers(errors, inspect.isclass) if issubclass(e, dt.TapestryError)
]
BUILTINS = {
    dt.ShapeError: ValueError,
    dt.AxisError: (ValueError, IndexError, np.exceptions.AxisError),
    dt.LinAlgError: (ValueError, np.linalg.LinAlgError),
    dt.ArgumentError: ValueError,
    dt.ArgumentTypeError: TypeError,
    dt.DTypeError: TypeError,
    dt.UnsupportedError: NotImplementedError,
    dt.ValueRangeError: OverflowError,
    dt.IndexingError: IndexError,
    dt.ComputeError: Exception,
    dt.SignatureError: ValueError,
    dt.ConstraintError: ValueError,
    dt.TraceError: TypeError,
    dt.PlanError: RuntimeError,
    dt.MemoryLimitError: MemoryError,
    dt.StoreError: (OSError, ValueError),
    dt.StoreNotFoundError: FileNotFoundError,
}


def test_every_error_is_listed_here_and_public():
    assert {dt.TapestryError, *BUILTINS} == set(CLASSES)
    assert all(getattr(dt, cls.__name__) is cls for cls in CLASSES)


@pytest.mark.parametrize("cls", BUILTINS, ids=lambda c: c.__name__)
def test_it_derives_from_ours_and_from_a_builtin(cls):
    wanted = BUILTINS[cls]
    assert issubclass(cls, dt.TapestryError)
    assert all(issubclass(cls, b) for b in (wanted if isinstance(wanted, tuple) else (wanted,)))


@pytest.mark.parametrize("cls", CLASSES, ids=lambda c: c.__name__)
def test_it_travels_from_a_worker(cls):
    error = cls("the text")
    error.add_note("and a note")
    far = pickle.loads(pickle.dumps(error))
    assert type(far) is cls
    assert "the text" in str(far)
    assert far.__notes__ == ["and a note"]


@pytest.mark.parametrize(
    ("cause", "error"),
    [
        (lambda: dt.ones((2, 3)) + dt.ones((3, 2)), dt.ShapeError),
        (lambda: dt.ones(3).reshape(2, 2), dt.ShapeError),
        (lambda: dt.ones((2, -1)), dt.ShapeError),
        (lambda: dt.ones(3).rechunk((2, 2)), dt.ShapeError),
        (lambda: dt.ones(3).sum(axis=1), dt.AxisError),
        (lambda: dt.ones(3, "float65"), dt.DTypeError),
        (lambda: dt.ones(3) & 1, dt.DTypeError),
        (lambda: dt.ones(3, "i1") + 1000, dt.ValueRangeError),
        (lambda: dt.ones(3)[5], dt.IndexingError),
        (lambda: dt.from_zarr("/nowhere/at/all.zarr"), dt.StoreNotFoundError),
        (lambda: dt.placeholder((3,), "f8").compute(), dt.PlanError),
    ],
)
def test_wrong_input_raises_it(cause, error):
    with pytest.raises(error):
        cause()
