import dask.config
import pytest

import dask_tapestry as dt
from dask_tapestry.settings import DEFAULTS, setting


def test_every_setting_has_a_value():
    for name in set(DEFAULTS) - {"rates"}:
        assert setting(name) == DEFAULTS[name]
    assert (DEFAULTS["rates"], setting("rates")) == ("measured", "shipped")  # see /conftest.py


def test_a_setting_holds_inside_a_with_block():
    before = setting("max-tasks")
    with dt.config(max_tasks=7, memory_limit="1 GiB"):
        assert (setting("max-tasks"), setting("memory-limit")) == (7, "1 GiB")
        with dt.config(max_tasks=8):
            assert setting("max-tasks") == 8
        assert setting("max-tasks") == 7
    assert setting("max-tasks") == before


def test_dasks_own_configuration_works_too():
    with dask.config.set({"tapestry.memory-limit": 1000}):
        assert setting("memory-limit") == 1000
        with pytest.raises(dt.MemoryLimitError):
            dt.plan(dt.ones(10**6)).verify()
    with dask.config.set({"tapestry.max_tasks": 3}):
        assert setting("max-tasks") == 3


@pytest.mark.parametrize("wrong", ["memry_limit", "rules_", "scheduler"])
def test_a_setting_that_does_not_exist(wrong):
    with pytest.raises(TypeError, match="unknown settings"):
        dt.config(**{wrong: 1})


@pytest.mark.parametrize("wrong", ["", "faster", None, True])
def test_a_value_that_a_setting_does_not_take(wrong):
    with pytest.raises(ValueError, match="algebra is one of"):
        dt.config(algebra=wrong)


def test_lines_of_the_user_are_kept_unless_not():
    assert __file__ in dt.full(11, 0.1101).node.line  # of which no test has another
    with dt.config(line_numbers=False):
        assert dt.full(12, 0.1201).node.line is None


def test_block_bytes_are_what_blocks_aim_at():
    x = dt.placeholder((10**6, 100), "f4")
    for block in ("4 MB", "40 MB"):
        with dt.config(block_bytes=block):
            plan = dt.plan(x + 1, resources=dt.Resources(memory="8 GiB", threads=1))
        assert (
            dask.utils.parse_bytes(block) / 4 < plan.core.steps[plan.core.graph.roots[0]].needs.work
        )
        assert plan.core.steps[plan.core.graph.roots[0]].needs.work <= dask.utils.parse_bytes(block)
