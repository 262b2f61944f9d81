import numpy as np
from numba import njit

from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import copy_record
from dask_tapestry_kernels.cpu.reduction.child.leaf_records import PLAN_FIELDS, plan_at, plan_room


@njit
def later(address):
    plan, own = plan_at(address), plan_at(plan_room())
    copy_record(own, plan)
    own.index += own.columns
    return own.index - plan.index + own.free


def test_a_plan_on_the_stack_is_a_copy_of_its_own():
    plan = np.zeros((), PLAN_FIELDS)
    plan["index"], plan["columns"], plan["free"] = 5, 3, 70
    assert later(plan.ctypes.data) == 73
    assert plan["index"] == 5
