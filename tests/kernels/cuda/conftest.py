"""Tests of CUDA texts compile each program for one architecture, or for all of them."""

from functools import partial

import pytest

from tests.covering import beyond
from tests.kernels.cuda import assembled


@pytest.fixture(params=[False, beyond(True)], ids=["one architecture", "every architecture"])
def check_assembly(request):
    """Check a program's assembly, for one architecture or for all."""
    return partial(assembled.check_assembly, every=request.param)
