import numpy as np
import pytest

from dask_tapestry.cells import UFUNCS, loop_dtypes
from dask_tapestry.cells.tuning import ELEMENTARY_FLOPS
from dask_tapestry.cells.ufuncs import flops, safe_operand
from dask_tapestry.errors import ArgumentError, DTypeError


def test_every_elementwise_ufunc_of_numpy_is_known():
    ours = {getattr(np, name) for name in UFUNCS}
    every = {f for f in vars(np).values() if isinstance(f, np.ufunc) and f.signature is None}
    assert ours == every


@pytest.mark.parametrize("name", sorted(UFUNCS))
def test_a_loop_has_a_dtype_for_each_operand_and_result(name):
    ufunc = UFUNCS[name]
    for types in ufunc.types:
        given, made = types.split("->")
        if set(types) & set("OGgmM"):
            continue
        loop = loop_dtypes(name, tuple(np.dtype(c) for c in given))
        assert loop == tuple(np.dtype(c) for c in given + made)


@pytest.mark.parametrize(
    ("operands", "loop"),
    [
        (("i1", int), "i1 i1 i1"),
        (("i1", float), "f8 f8 f8"),
        (("f4", float), "f4 f4 f4"),
        (("f4", complex), "c8 c8 c8"),
        (("u8", "i8"), "f8 f8 f8"),
        (("M8[s]", "m8[ms]"), "M8[ms] m8[ms] M8[ms]"),
    ],
)
def test_python_scalars_are_weak(operands, loop):
    given = tuple(np.dtype(o) if isinstance(o, str) else o for o in operands)
    assert loop_dtypes("add", given) == tuple(map(np.dtype, loop.split()))


@pytest.mark.parametrize(
    ("name", "operands", "text"),
    [
        ("add", ("f8",), "takes 2 operands, not 1"),
        ("invert", ("f8",), r"no loop for \(float64\)"),
        ("bitwise_and", ("f4", int), r"no loop for \(float32, int\)"),
        ("add", ("M8[s]", "M8[s]"), "no loop"),
    ],
)
def test_what_has_no_loop_is_refused_by_name(name, operands, text):
    given = tuple(np.dtype(o) if isinstance(o, str) else o for o in operands)
    with pytest.raises(DTypeError, match=text):
        loop_dtypes(name, given)


def test_a_signature_chooses_the_loop():
    whole = (np.dtype("i4"), int)
    assert loop_dtypes("add", whole, "dd->d") == (np.dtype("f8"),) * 3
    assert loop_dtypes("add", whole, (None, None, np.dtype("f4"))) == (np.dtype("f4"),) * 3
    with pytest.raises(ArgumentError, match="add: a type-string"):
        loop_dtypes("add", whole, "dd-d")
    with pytest.raises(DTypeError, match="no loop"):
        loop_dtypes("add", whole, "dd->i")


def test_cheap_functions_count_one():
    assert {flops(name) for name in ("add", "where", "constant", "isnan")} == {1}
    assert flops("exp") == ELEMENTARY_FLOPS


def test_functions_count_as_they_take_time():
    assert 1 < flops("divide") < flops("exp") < flops("tan") < flops("power") < flops("remainder")
    assert flops("divmod.1") == flops("divmod")
    assert flops("remainder", np.dtype("i4")) < flops("exp") < flops("remainder", np.dtype("f4"))


@pytest.mark.parametrize("name", sorted(UFUNCS))
def test_harmless_numbers_are_taken_and_nothing_is_told(name):
    ufunc = UFUNCS[name]
    for kinds in ufunc.types:
        inputs = kinds.split("->")[0]
        if not set(inputs) & set("OmMV"):
            with np.errstate(all="raise"):
                ufunc(*[np.array([safe_operand(name)]).astype(kind) for kind in inputs])
