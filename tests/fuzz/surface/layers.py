"""Phrases of convolutions and layers of networks."""

from __future__ import annotations

from tests.fuzz.phrases import Phrase


def _layer(ours: str, theirs: str, trust: str = "rounded") -> tuple[Phrase, ...]:
    return (Phrase(f"dt.nn.{ours}", trust, "lanes", theirs),)


IMAGE, WEIGHTS = "x[None, None]", "y[None, None, :2]"
PHRASES: dict[str, tuple[Phrase | str, ...]] = {
    "convolve": (Phrase("xp.convolve(xp.ravel(x), xp.ravel(y)[:{1|3|7}], '{full|same|valid}')",
                        "rounded", "lanes"),),
    "correlate": (Phrase("xp.correlate(xp.ravel(x)[:{5|30}], xp.ravel(y), '{full|same|valid}')",
                         "rounded", "lanes"),),
    "nn.conv": (
        *_layer(f"conv({IMAGE}, {WEIGHTS}, padding={{N}}, strides=2)",
                f"conv({IMAGE}, {WEIGHTS}, padding={{N}}, strides=2)"),
        *_layer(f"conv({IMAGE}, y[None, None, :1, ..., :1], dilation=3, padding_mode='wrap')",
                f"conv({IMAGE}, y[None, None, :1, ..., :1])"),
    ),
    "nn.conv_transpose": _layer(f"conv_transpose({IMAGE}, {WEIGHTS}, strides=2)",
                                f"conv_transpose({IMAGE}, {WEIGHTS}, strides=2)"),
    "nn.max_pool": _layer(f"max_pool({IMAGE}, 1, strides=2)", f"pooled({IMAGE}, np.max, 1, 2)",
                          "same"),
    "nn.sum_pool": _layer(f"sum_pool({IMAGE}, x.shape)", f"pooled({IMAGE}, np.sum, x.shape)"),
    "nn.avg_pool": _layer(f"avg_pool({IMAGE}, x.shape)", f"pooled({IMAGE}, np.mean, x.shape)"),
    "nn.softmax": _layer("softmax(x, {WITHIN})", "softmax(x, {WITHIN})"),
    "nn.layer_norm": _layer("layer_norm(x, x.shape)", "layer_norm(x, None)"),
    "nn.attention": _layer("attention(x[..., None], y[..., None], y[..., None])",
                           "attention(x[..., None], y[..., None], y[..., None])"),
}  # fmt: skip
