import json

import pytest

from dask_tapestry.io.journals.writer_id import WriterId, next_step

FIRST, AGAIN = WriterId("mine", "first run"), WriterId("mine", "second run")
OTHER = WriterId("another", "first run")
FOLLOWED = WriterId("another", "first run", ("mine",))


@pytest.mark.parametrize("maker", [FIRST, FOLLOWED, WriterId("a", "b", ("c", "d"))])
def test_makers_survive_json(maker):
    assert WriterId.of(json.loads(json.dumps(maker.stored))) == maker


def test_nothing_has_no_maker():
    assert WriterId.of(None) is None


def test_a_write_is_done_by_what_replaced_it_too():
    assert [maker.has_done("mine") for maker in (FIRST, FOLLOWED, OTHER)] == [True, True, False]


@pytest.mark.parametrize(
    ("found", "beside", "once", "overwrite", "step"),
    [
        (None, None, False, False, "create"),
        (FIRST, None, False, False, "repeat"),
        (FIRST, None, True, False, "keep"),
        (AGAIN, None, False, False, "keep"),
        (FIRST, AGAIN, False, True, "keep"),
        (OTHER, None, False, True, "create"),
        (OTHER, None, True, True, "create"),
        (FOLLOWED, None, False, False, "keep"),
        (FOLLOWED, None, False, True, "create"),
        (FOLLOWED, None, True, True, "keep"),
        (FOLLOWED._replace(run="second run"), None, False, True, "keep"),
    ],
)
def test_what_a_second_run_has_to_do(found, beside, once, overwrite, step):
    assert next_step(AGAIN, found, beside, once=once, overwrite=overwrite) == step
