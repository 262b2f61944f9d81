from dask_tapestry.operators.reductions.group_fold import GroupFold
from dask_tapestry_kernels.parameters.groups import Groups


def test_the_operator_says_what_is_folded():
    of_operator = {
        "monoid",
        "skipna",
        "axes",
        "labelled",
        "tree",
        "dtype",
        "state",
        "ddof",
        "target",
    }
    assert of_operator <= set(Groups._fields) & set(GroupFold.__annotations__)
