import argparse

import dask
import pytest

import dask_tapestry as dt
from dask_tapestry.command.declared_machines import add_resources, declared_of, suggest
from dask_tapestry.command.main import UsageError


def declared(*arguments):
    parser = argparse.ArgumentParser()
    add_resources(parser)
    return declared_of(parser.parse_args(arguments))


def test_resources_are_those_of_the_arguments():
    assert declared() is None
    assert declared("--workers", "4", "--threads", "2", "--memory", "8 GiB") == dt.Resources(
        4, 2, "8 GiB"
    )
    with pytest.raises(UsageError, match="workers"):
        declared("--workers", "0")


def test_a_suggestion_gives_way_to_what_is_declared():
    small, large = dt.Resources(1, 1, "1 GiB"), dt.Resources(9, 1, "1 GiB")
    with dask.config.set({"tapestry.resources": None}):
        suggest(small)
        suggest(large)
        assert dask.config.get("tapestry.resources") == large
        with dt.config(resources=small):
            suggest(large)
            assert dask.config.get("tapestry.resources") == small
