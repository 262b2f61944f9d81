"""Phrases of filters of images, compared with their own values computed whole."""

from __future__ import annotations

from tests.fuzz.phrases import Phrase

MODE = "mode={'reflect'|'constant'|'nearest'|'mirror'|'wrap'}"


def _own(*texts: str) -> tuple[Phrase, ...]:
    return tuple(Phrase(f"dt.ndimage.{text}", "jump", "", "ours") for text in texts)


PHRASES: dict[str, tuple[Phrase, ...]] = {
    "ndimage.correlate1d": _own(f"correlate1d(x, [1, 2, {{0|4.5}}], {{place}}, {MODE})"),
    "ndimage.convolve1d": _own(f"convolve1d(x, [1, 2, 3, 4], {{place}}, {MODE})"),
    "ndimage.correlate": _own(f"correlate(x, np.ones((2,) * x.ndim), {MODE}, cval={{0|2.5}})"),
    "ndimage.convolve": _own(f"convolve(x, np.arange(3.0)[:, None], axes=(0, -1), {MODE})"),
    "ndimage.gaussian_filter1d": _own(
        f"gaussian_filter1d(x, {{0.5|2.0}}, {{place}}, {{0|1|2}}, {MODE})"
    ),
    "ndimage.gaussian_filter": _own(f"gaussian_filter(x, {{0.5|2.0}}, {MODE}, cval={{0|1.5}})"),
    "ndimage.uniform_filter1d": _own(f"uniform_filter1d(x, {{1|4|70}}, {{place}}, {MODE})"),
    "ndimage.uniform_filter": _own(f"uniform_filter(x, {{2|3}}, {MODE})"),
    "ndimage.sobel": _own(f"sobel(x, {{place}}, {MODE})"),
    "ndimage.prewitt": _own(f"prewitt(x, {{place}}, {MODE})"),
    "ndimage.laplace": _own(f"laplace(x, {MODE})"),
    "ndimage.gaussian_laplace": _own(f"gaussian_laplace(x, 0.8, {MODE})"),
    "ndimage.gaussian_gradient_magnitude": _own(f"gaussian_gradient_magnitude(x, 0.8, {MODE})"),
    "ndimage.generic_laplace": _own("generic_laplace(x, dt.ndimage.sobel)"),
    "ndimage.generic_gradient_magnitude": _own("generic_gradient_magnitude(x, dt.ndimage.prewitt)"),
    "ndimage.minimum_filter1d": _own(f"minimum_filter1d(x, {{1|4|9}}, {{place}}, {MODE})"),
    "ndimage.maximum_filter1d": _own(f"maximum_filter1d(x, {{1|4|9}}, {{place}}, {MODE})"),
    "ndimage.minimum_filter": _own(f"minimum_filter(x, {{2|5}}, {MODE}, cval={{0|1.5}})"),
    "ndimage.maximum_filter": _own(f"maximum_filter(x, footprint=[1, 0, 1], axes=0, {MODE})"),
    "ndimage.median_filter": _own(f"median_filter(x, {{2|3}}, {MODE})"),
    "ndimage.rank_filter": _own(f"rank_filter(x, {{0|1|-1}}, {{2|3}}, {MODE})"),
    "ndimage.percentile_filter": _own(f"percentile_filter(x, {{20|-30|100}}, 3, {MODE})"),
    "ndimage.generic_filter": _own(f"generic_filter(x, np.ptp, {{1|2}}, {MODE})"),
    "ndimage.generic_filter1d": _own(
        f"generic_filter1d(x, lambda a, b: np.subtract(a[1:], a[:-1], out=b), 2, {{place}}, {MODE})"
    ),
    **{
        f"ndimage.{name}": _own(f"{name}(x, {{2|3}}, {MODE})", f"{name}(x, 3)[{{SLICES}}]")
        for name in (
            "grey_erosion grey_dilation grey_opening grey_closing morphological_gradient "
            "morphological_laplace white_tophat black_tophat"
        ).split()
    },
    **{
        f"ndimage.{name}": _own(f"{name}(x == x, iterations={{1|2}}, border_value={{0|1}})")
        for name in "binary_erosion binary_dilation binary_opening binary_closing".split()
    },
    "ndimage.binary_hit_or_miss": _own("binary_hit_or_miss(x == x)"),
    "ndimage.binary_propagation": _own("binary_propagation(x == 1, mask=x == x)"),
    "ndimage.binary_fill_holes": _own("binary_fill_holes(x == x)"),
    **{
        f"ndimage.{name}": _own(
            f"{name}(x, np.arange(x.shape[-1] if x.ndim else 1) % 3, {{[1, 2]|1|None}})"
        )
        for name in (
            "sum_labels mean variance standard_deviation median minimum maximum minimum_position "
            "maximum_position center_of_mass"
        ).split()
    },
    "ndimage.extrema": _own("extrema(x)[1]"),
    **{
        f"ndimage.distance_transform_{name}": _own(
            f"distance_transform_{name}(x > 0)", f"distance_transform_{name}(x > 0)[{{SLICES}}]"
        )
        for name in ("bf", "cdt", "edt")
    },
    "ndimage.label": _own(
        "label(x > 0)[{0|1}]",
        "label(x > 0, np.ones((3,) * x.ndim))[0]",
        "label(x > 0)[0][{SLICES}]",
    ),
    "ndimage.find_objects": _own("find_objects(x > 0, 2)"),
}
