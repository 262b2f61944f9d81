import pytest

from dask_tapestry.teg import BlockOperator, IndexDim, Operator, Selector, Signature
from dask_tapestry.teg.regularity import ANYWHERE, Regular, of_signature, uniform_regularity
from dask_tapestry.zspace import IndexProjection

HERE = IndexProjection.identity(1)


def test_everywhere_is_a_rule_for_each_axis():
    assert uniform_regularity(2) == (ANYWHERE, ANYWHERE)


@pytest.mark.parametrize(
    ("reads", "cells", "rule"),
    [
        (IndexProjection(((2,),), (0,), (2,)), 20, Regular()),
        (IndexProjection(((2,),), (0,), (2,)), 19, Regular(breaks=(9,))),
        (IndexProjection(((1,),), (-2,), (5,)), 10, Regular(breaks=(2, 8))),
    ],
)
def test_windows_that_leave_the_input_are_breaks(reads, cells, rule):
    signature = Signature((IndexDim("i", 10),), (reads,), (HERE,))
    assert of_signature(signature, [(cells,)]) == (rule,)


def test_output_windows_are_periods():
    signature = Signature((IndexDim("i", 5),), (HERE,), (IndexProjection(((4,),), (0,), (4,)),))
    assert of_signature(signature, [(5,)]) == (Regular(4),)


def test_windows_clipped_along_several_dimensions_tell_nothing():
    reads = IndexProjection(((1, 1),), (0,), (3,))
    signature = Signature(
        (IndexDim("i", 5), IndexDim("w", 2)), (reads,), (IndexProjection(((1, 0),), (0,), (1,)),)
    )
    assert of_signature(signature, [(6,)]) is None


def test_who_declares_demands_anew_declares_regularity_anew():
    class Own(BlockOperator):
        def demand(self, inputs, box):
            return ()

    assert Own.regularity is Operator.regularity
    assert Selector.regularity is Operator.regularity
    assert BlockOperator.regularity is not Operator.regularity
