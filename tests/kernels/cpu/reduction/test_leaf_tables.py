import numpy as np
import pytest
from numba import njit

from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import get_int64
from dask_tapestry_kernels.cpu.reduction.leaf_tables import FormulaWord, Word, table

VALUES = {word.name: 10 * word for word in FormulaWord}


def test_words_are_counted_from_0_and_each_has_its_value():
    assert [*FormulaWord] == [*range(len(FormulaWord))]
    assert issubclass(FormulaWord, Word)
    assert table(FormulaWord, **VALUES).tolist() == [10 * word for word in FormulaWord]


def test_compiled_code_reads_what_numpy_wrote():
    @njit("int64(int64)")
    def kept(block):
        return get_int64(block, FormulaWord.KEPT)

    told = table(FormulaWord, **VALUES)
    assert kept(told.ctypes.data) == 10 * FormulaWord.KEPT


def test_a_word_that_is_missing_or_of_another_table_is_an_error():
    with pytest.raises(ValueError, match="not the words of FormulaWord"):
        table(FormulaWord, FOLD=1)
    with pytest.raises(KeyError):
        table(FormulaWord, **(dict(list(VALUES.items())[1:]) | {"ROW": 1}))
    assert np.int64 == table(FormulaWord, **VALUES).dtype
