import operator

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.core.declared_arguments import DeclaredArguments, checked
from dask_tapestry.errors import TapestryError

NO_TRUTH = [np.ones(2), "no", b""]


@pytest.mark.parametrize(
    "call",
    [
        lambda x, flag: dt.sum(x, keepdims=flag),
        lambda x, flag: x.sum(keepdims=flag),
        lambda x, flag: dt.histogram(x, 2, density=flag),
        lambda x, flag: dt.histogram(x, 2, None, flag),
        lambda x, flag: dt.unique(x, return_counts=flag),
        lambda x, flag: x.astype("f4", copy=flag),
        lambda x, flag: dt.sort(x, descending=flag),
        lambda x, flag: dt.to_zarr(x, "memory://wrong", overwrite=flag),
        lambda x, flag: dt.stats.skew(x, bias=flag),
        lambda x, flag: dt.ma.masked_equal(x, 0, copy=flag),
    ],
)
@pytest.mark.parametrize("flag", NO_TRUTH, ids=str)
def test_what_has_no_truth_value_is_no_flag(call, flag):
    with pytest.raises(TapestryError) as error:
        call(dt.ones(3), flag)
    assert isinstance(error.value, TypeError | ValueError)


def test_flags_of_numpy_take_what_has_one_truth_value_and_ours_true_and_false():
    x = dt.asarray([3, 1, 2])
    assert dt.histogram(x, 2, density=None)[0].dtype == np.histogram([3], 2, density=None)[0].dtype
    assert len(dt.unique(x, return_counts=[0])) == 2
    with pytest.raises(dt.ArgumentTypeError, match="descending must be True or False"):
        dt.sort(x, descending=7)
    assert dt.sort(x, descending=np.True_).compute().tolist() == [3, 2, 1]


@pytest.mark.parametrize("keepdims", [True, 1, np.int64(1), 7, None, [1], 1.5])
@pytest.mark.parametrize("name", ["sum", "mean", "std", "max", "any", "nansum", "average"])
def test_keepdims_is_an_integer_where_it_is_numpys_reduction(name, keepdims):
    def kept(xp):
        return getattr(xp, name)(xp.ones((2, 3)), axis=0, keepdims=keepdims).shape

    try:
        expected = kept(np)
    except TypeError:
        with pytest.raises(dt.ArgumentTypeError):
            kept(dt)
    else:
        assert kept(dt) == expected


@pytest.mark.parametrize("hint", [[], "all", -1, 1.5, {0: "a"}, True])
def test_a_hint_without_effect_is_checked_all_the_same(hint):
    for call in (dt.sum, dt.topk, dt.moment):
        with pytest.raises(TapestryError):
            call(dt.ones(4), *(() if call is dt.sum else (2,)), split_every=hint)
    assert dt.ones(4).sum(split_every={0: 2}).shape == ()


@pytest.mark.parametrize(
    ("kind", "right", "wrong"),
    [
        ("int", np.int8(3), 1.5),
        ("float", 2, 3j),
        ("str | None", None, 5),
        ("Sequence[int]", [1], 4),
        ("Mapping[str, int] | None", {}, []),
        ("Callable[..., Any]", len, 5),
        ("Literal['a', 'b'] | int", 1.5, None),
    ],
)
def test_kinds_are_those_that_are_declared(kind, right, wrong):
    def function(x, given=None):
        return given

    function.__annotations__["given"] = kind
    declared = DeclaredArguments(function, None)
    declared.refuse_wrong((0, right), {})
    declared.refuse_wrong((), {"given": None})
    if wrong is not None:
        for args, kwargs in ([(0, wrong), {}], [(), {"given": wrong}]):
            with pytest.raises(TapestryError, match="given"):
                declared.refuse_wrong(args, kwargs)


def test_a_lazy_array_is_not_computed_to_check_it():
    computed = []

    def noted(block):
        computed.append(1)
        return block

    @checked
    def function(n: "int"):
        return n

    number = dt.asarray(3).map_blocks(noted, dtype=int)
    assert function(number) is number
    assert not computed
    assert operator.index(number) == 3


def test_texts_and_dictionaries_are_no_axes_shapes_or_names():
    x = dt.ones((2, 3))
    for wrong in ("", {}, b""):
        for call in (x.sum, dt.zeros, x.transpose, x.reshape):
            with pytest.raises(TapestryError):
                call(wrong)
    for wrong in ("ab", [1, 2], ["a"], 3):
        with pytest.raises(TapestryError):
            dt.full((2, 3), [1, 2, 3], dims=wrong)
    with pytest.raises(dt.ArgumentTypeError):
        x.sum(axis=True)
    with pytest.raises(dt.ArgumentTypeError):
        dt.ones(3, chunks=True)
