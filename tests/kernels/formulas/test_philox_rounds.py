import numpy as np
import pytest

from dask_tapestry_kernels.formulas.philox_rounds import FACTORS, STEPS, Fraction, rounds


def test_it_has_the_factors_of_its_paper():
    assert [hex(f) for f in FACTORS] == ["0xd2e7470ee14c6c93", "0xca5a826395121157"]
    assert [hex(s) for s in STEPS] == ["0x9e3779b97f4a7c15", "0xbb67ae8584caa73b"]


def test_ten_rounds_are_three_statements_each():
    lines = rounds()
    assert len(lines) == 30
    assert lines[0] == "e, f = wide_product(np.uint64(15197193596820024467), a)"


F8, F4 = np.dtype("f8"), np.dtype("f4")


@pytest.mark.parametrize("fraction", [Fraction(11, 0, F8), Fraction(40, 1, F4)])
def test_a_fraction_as_text_is_the_fraction(fraction):
    bits = np.random.default_rng(1).integers(0, 2**64, 100, np.uint64)
    told = [eval(fraction.text(), {"np": np, "bits": word}) for word in bits]
    assert np.array(told).tolist() == fraction.of(bits).tolist()
