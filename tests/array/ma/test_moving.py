import pytest

from .masked_samples import agree, ours, sample

CALLS = {
    "reshape": lambda x: x.reshape(2, -1),
    "reshape F": lambda x: x.reshape((5, 4), order="F"),
    "ravel": lambda x: x.ravel(),
    "flatten": lambda x: x.flatten(),
    "transpose": lambda x: x.transpose(1, 0),
    "T": lambda x: x.T,
    "swapaxes": lambda x: x.swapaxes(0, 1),
    "squeeze": lambda x: x[:1].squeeze(0),
    "repeat": lambda x: x.repeat(2, axis=1),
    "take": lambda x: x.take([3, 0, 0], axis=0),
    "copy": lambda x: x.copy(),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("mask", [0.4, None])
def test_cells_move_with_their_mask(name, mask):
    x = sample("i4", mask=mask)
    agree(CALLS[name](ours(x)), CALLS[name](x), beneath=True)


def test_chunks():
    x = ours(sample("i4"))
    assert x.rechunk((4, 1)).chunks == ((4,), (1,) * 5)
    agree(x.rechunk((4, 1)), sample("i4"))
