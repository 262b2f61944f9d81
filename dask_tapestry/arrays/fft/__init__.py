"""Discrete Fourier transforms, along axes that may be cut.

Values and dtypes are NumPy's, bit for bit. A transform needs whole lanes along its axis, so a plan
brings them together where they are cut; nobody has to rechunk.

Examples
--------
>>> import dask_tapestry as dt
>>> dt.fft.rfft(dt.asarray([1.0, 0.0, 0.0, 0.0])).compute()
array([1.+0.j, 1.+0.j, 1.+0.j])
"""

from typing import TYPE_CHECKING

from dask_tapestry.arrays.core.docstrings import write_out
from dask_tapestry.arrays.core.late_names import late_names
from dask_tapestry.arrays.fft.frequencies import *
from dask_tapestry.arrays.fft.one_axis import *
from dask_tapestry.arrays.fft.several_axes import *
from dask_tapestry.arrays.fft.two_axes import *

if TYPE_CHECKING:  # imported when one of its names is asked for
    from dask_tapestry.arrays.compatibility.wrapped_transforms import *

__all__ = [
    "fft",
    "fft2",
    "fft_wrap",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]

if not TYPE_CHECKING:
    __getattr__ = late_names("fft", __all__)

    def __dir__() -> list[str]:
        """The public names, those that come late too."""
        return sorted({*globals(), *__all__})


write_out(__name__)
