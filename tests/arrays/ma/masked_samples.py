"""What tests of masked arrays share: samples, and whether ours agree with those of numpy.ma."""

import numpy as np

import dask_tapestry as dt

KINDS = ("?", "u8", "f4", "c16")


def sample(kind, shape=(4, 5), seed=0, mask=0.3):
    """A masked array of NumPy's, with zeros, NaN and infinities where it has such cells."""
    random = np.random.default_rng([seed, len(shape), ord(kind[0])])
    if kind == "?":
        cells = random.integers(0, 2, shape).astype(bool)
    else:
        cells = random.integers(0 if kind[0] == "u" else -4, 6, shape).astype(kind)
    if kind[0] in "fc":
        cells = cells / np.array(2, kind)
        cells[random.random(shape) < 0.1] = np.nan
        if mask is not None:  # without one, means of NumPy's hide infinities by accident
            cells[random.random(shape) < 0.1] = np.inf
    hidden = np.ma.nomask if mask is None else random.random(shape) < mask
    return np.ma.masked_array(cells, hidden, fill_value=None)


def ours(x):
    """The same in ours, in chunks that cut every axis."""
    return dt.ma.masked_array(x.copy(), chunks=tuple(max(1, n // 2) for n in x.shape))


def value(x):
    """What a lazy value is."""
    return x.compute() if hasattr(x, "compute") else x


def agree(made, wanted, beneath=False):
    """Check dtype, shape, mask and the cells that are shown; or those beneath the mask too."""
    made = value(made)
    if wanted is np.ma.masked or made is np.ma.masked:
        assert np.shape(made) == np.shape(wanted)
        assert np.ma.getmaskarray(made).all()
        assert np.ma.getmaskarray(wanted).all()
        return
    assert np.shape(made) == np.shape(wanted)
    assert made.dtype == np.asarray(wanted).dtype
    hidden = np.ma.getmaskarray(wanted)
    assert np.array_equal(np.ma.getmaskarray(made), hidden)
    seen = np.ones_like(hidden) if beneath else ~hidden
    cells = np.ma.getdata(made)[seen], np.ma.getdata(wanted)[seen]
    np.testing.assert_allclose(*cells, rtol=1e-4, atol=1e-6)
