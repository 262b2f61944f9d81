import inspect
import pickle
import traceback

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry import errors
from dask_tapestry.planner.memory.results import ResultMemory

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
    dt.DeviceError: RuntimeError,
    dt.DeviceMemoryError: MemoryError,
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


X = dt.ones((4, 4))
MEANT = [
    (lambda: dt.percentile(X, 5, method="linaer"), dt.ArgumentError, "did you mean 'linear'"),
    (lambda: dt.quantile(X, 5), dt.ArgumentError, r"in the range \[0, 1\], not 5: percentile"),
    (lambda: dt.percentile(X, 500), dt.ArgumentError, r"in the range \[0, 100\], not 500$"),
    (lambda: dt.asarray([[1], [2, 3]]), dt.ArgumentError, "lists of unequal lengths"),
    (lambda: bool(X > 0), dt.ArgumentError, r"use any\(\) or all\(\), and `&`"),
    (lambda: dt.pad(X, 1, "reflekt"), dt.ArgumentError, "did you mean 'reflect'"),
    (lambda: dt.linalg.invv, AttributeError, "^dt.linalg has no .* 'invv'; did you mean 'inv'"),
    (lambda: dt.fft.ffft, AttributeError, "^dt.fft has no attribute 'ffft'; did you mean 'fft'"),
    (lambda: dt.meann, AttributeError, "no attribute 'meann'; did you mean 'mean'"),
    (lambda: dt.nothing_like_it, AttributeError, "no attribute 'nothing_like_it'$"),
    (lambda: X.astype(), TypeError, r"^Array.astype\(\) missing"),
    (lambda: X.reshape(foo=1), TypeError, r"^Array.reshape\(\) got an unexpected"),
    (lambda: X.map_blocks(), TypeError, r"^Array.map_blocks\(\) missing"),
    (lambda: dt.asarray(np.array(["a"])) + 1, dt.DTypeError, r"no loop for \(<U1, int\)"),
    (lambda: dt.asarray(np.array(["a"])).sum(), dt.DTypeError, "for dtype <U1$"),
    (lambda: dt.config(max_task=3), dt.ArgumentTypeError, "did you mean 'max_tasks'"),
    (lambda: dt.to_zarr(X, "x", compressor=1), dt.ArgumentTypeError, "mean 'compressors'"),
]


@pytest.mark.parametrize(("cause", "error", "text"), MEANT)
def test_a_message_says_what_was_meant(cause, error, text):
    with pytest.raises(error, match=text) as found:
        cause()
    assert type(found.value) is not dt.ShapeError


def _fails(block):
    raise RuntimeError("no luck")


def test_the_line_that_raised_ends_the_traceback():
    with pytest.raises(dt.ComputeError) as error:
        X.map_blocks(_fails, dtype="f8").compute()
    lines = "".join(traceback.format_exception(error.value)).splitlines()
    line = _fails.__code__.co_firstlineno + 1
    last = f'raised at {__file__}:{line}, in _fails: raise RuntimeError("no luck")'
    assert lines[-1] == last
    assert len(lines) < 60
    first = next(text for text in lines if text.startswith("  File "))
    assert first == f'  File "{__file__}", line {line}, in _fails'  # not a line of the library
    assert str(pickle.loads(pickle.dumps(error.value))).endswith(last)


def test_what_no_function_of_the_user_raised_names_no_line():
    with pytest.raises(ValueError, match="negative integer powers") as error:
        (dt.arange(2) ** dt.asarray([-1, -1])).compute()
    assert "raised at" not in str(error.value)


def test_a_plan_that_does_not_fit_names_step_array_and_line():
    x = dt.ones((20_000, 20_000)) + dt.arange(20_000)
    small = dt.Resources(workers=2, threads=1, memory="1 GiB")
    with pytest.raises(dt.MemoryLimitError) as error:
        dt.plan(x, resources=small).core.verify(ResultMemory.KEPT)
    assert "elementwise float64[20000, 20000] (" in str(error.value)
    assert f"{__file__}:" in str(error.value)
    assert "its value is 2.98 GiB" in str(error.value)
