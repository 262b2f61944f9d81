"""Phrases of products, of matrices, and of Fourier transforms."""

from __future__ import annotations

from tests.fuzz.phrases import Phrase


def _rounded(inputs: str, *texts: str) -> tuple[Phrase, ...]:
    return tuple(Phrase(text, "rounded", inputs) for text in texts)


def _fold(*texts: str) -> tuple[Phrase, ...]:
    return tuple(Phrase(text, "fold") for text in texts)


PRODUCTS = {
    "cross": (Phrase("xp.cross(x[..., :3], y[..., :3])"), Phrase("xp.cross(x[:3], x[:3], axis=0)")),
    "trace": _fold("xp.trace(x, {k}, {place}, {place})"),
    "dot": _fold("xp.dot(x, {y|x|2|x.T})"),
    "inner": _fold("xp.inner(x, {y|x})"),
    "kron": _fold("xp.kron(x, xp.ravel(y)[:3])"),
    "matmul": _fold("xp.matmul(x, {y|x|xp.swapaxes(x, -1, -2)})"),
    "outer": _fold("xp.outer(x, {y|x})"),
    "tensordot": _fold("xp.tensordot(x, {x|y}, axes={0|1|x.ndim|([0], [0])|((0, -1), (0, -1))})"),
    "einsum": (
        *_fold("xp.einsum('...i,...i->...', x, {x|y})", "xp.einsum('i...->...i', x)"),
        Phrase("xp.einsum('ij,jk{->|->ki|->j|->ijk}', x, y.T)", "fold", "pair"),
        Phrase("xp.einsum('{ij->|ij->j|ij->ji}', x, optimize={bool})", "fold", "pair"),
        Phrase("xp.einsum('{ij,ij->j|ij,ij|ij,kj->ik}', x, {x|y})", "fold", "pair"),
        Phrase("xp.einsum('ij,kj,lj->ikl', x, x, y)", "fold", "pair"),
        Phrase("xp.einsum('{ii->i|ii}', xp.matmul(x, x.T))", "fold", "pair"),
    ),
    "vdot": _fold("xp.vdot(x, {x|y})"),
    "vecdot": _fold("xp.vecdot(x, {x|y}, axis={-1|{place}})"),
    "matvec": _fold("xp.matvec(x, x[..., 0, :])"),
    "vecmat": _fold("xp.vecmat(x[..., 0], x)"),
}  # fmt: skip
SPARSE = {
    "sparse_matmul": (
        Phrase("dt.sparse_matmul(pairs(x.shape[-1]), x, {-1|x.ndim - 1})", "fold", "lanes",
               "paired(x, -1)"),
        Phrase("dt.sparse_matmul(pairs(x.shape[0]), x, axis=0)", "fold", "lanes", "paired(x, 0)"),
    ),
}  # fmt: skip
LINALG = {
    "linalg.cholesky": _rounded("positive", "xp.linalg.cholesky(x, upper={bool})"),
    "linalg.qr": _rounded(
        "tall", "abs(xp.linalg.qr(x, mode='r'))", "upper(xp, xp.linalg.qr(x, mode='reduced'))"
    ),
    "linalg.tsqr": (
        Phrase("upper(dt, dt.linalg.tsqr(x))", "rounded", "tall_alone", "x + 0.0 * x"),
        Phrase("dt.linalg.tsqr(x, compute_svd=True)[1]", "rounded", "tall_alone",
               "np.linalg.svd(x)[1]"),
    ),
    "linalg.sfqr": (
        Phrase("upper(dt, dt.linalg.sfqr(x))", "rounded", "tall_alone", "x + 0.0 * x"),
    ),
    "linalg.svd": _rounded("tall", "xp.linalg.svd(x, full_matrices={bool})[1]"),
    "linalg.svdvals": _rounded("tall", "xp.linalg.svdvals(x)"),
    "linalg.cond": _rounded("square", "xp.linalg.cond(x, {None|1|-1|2|np.inf|'fro'})"),
    "linalg.lstsq": (
        Phrase("xp.linalg.lstsq(x, {y|y[:, 0]}, rcond=None)[0]", "rounded", "tall_alone"),
    ),
    "linalg.matrix_rank": _rounded("tall", "xp.linalg.matrix_rank(x)"),
    "linalg.pinv": _rounded("tall", "xp.linalg.pinv(x)"),
    "linalg.det": _rounded("square", "xp.linalg.det(x)"),
    "linalg.inv": _rounded("square", "xp.linalg.inv(x)"),
    "linalg.slogdet": _rounded("square", "xp.linalg.slogdet(x)"),
    "linalg.solve": _rounded("square", "xp.linalg.solve(x, {y|y[..., :1]})"),
    "linalg.tensorinv": _rounded("square", "xp.linalg.tensorinv(x, ind=1)"),
    "linalg.tensorsolve": _rounded("square", "xp.linalg.tensorsolve(x, y[..., 0])"),
    "linalg.eig": _rounded("positive", "xp.sort(abs(xp.linalg.eig(x)[0]))"),
    "linalg.eigvals": _rounded("positive", "xp.sort(abs(xp.linalg.eigvals(x)))"),
    "linalg.eigh": _rounded("positive", "xp.linalg.eigh(x, {'L'|'U'})[0]"),
    "linalg.eigvalsh": _rounded("positive", "xp.linalg.eigvalsh(x)"),
    "linalg.lu": (Phrase("upper(dt, dt.linalg.lu(x))", "rounded", "triangle", "x + 0.0 * x"),),
    "linalg.solve_triangular": (
        Phrase("dt.linalg.solve_triangular(x, y, lower=True)", "rounded", "triangle",
               "triangular(x, y, True)"),
        Phrase("dt.linalg.solve_triangular(x.T, y)", "rounded", "triangle",
               "triangular(x.T, y, False)"),
    ),
    "linalg.svd_compressed": (
        Phrase("dt.linalg.svd_compressed(x, 2, seed={seed})[1]", "rounded", "tall_alone", "ours"),
    ),
    "linalg.matrix_power": (
        Phrase("xp.linalg.matrix_power(x, {0|1|2|3})", "fold", "square"),
        Phrase("xp.linalg.matrix_power(x, {-1|-2})", "rounded", "square"),
    ),
    "linalg.multi_dot": (Phrase("xp.linalg.multi_dot([x, x.T, x])", "fold", "tall_alone"),),
    "linalg.norm": _rounded(
        "tall",
        "xp.linalg.norm(x, axis={None|0|-1|(-2, -1)}, keepdims={bool})",
        "xp.linalg.norm(x, {1|-1|np.inf|-np.inf|2|-2|'nuc'|'fro'}, axis=(-2, -1))",
        "xp.linalg.norm(x, {0|1|2|3|0.5|np.inf|-np.inf}, axis=-1)",
    ),
    "linalg.matrix_norm": _rounded(
        "tall", "xp.linalg.matrix_norm(x, ord={1|2|'fro'|'nuc'|np.inf}, keepdims={bool})"
    ),
    "linalg.vector_norm": _rounded(
        "tall", "xp.linalg.vector_norm(x, axis={None|0|-1}, ord={0|1|2|3|np.inf})"
    ),
    "linalg.cross": (Phrase("xp.linalg.cross(x[..., :3], x[..., :3])"),),
    "linalg.diagonal": (Phrase("xp.linalg.diagonal(x, offset={k})", "same"),),
    "linalg.matmul": _fold("xp.linalg.matmul(x, xp.swapaxes(x, -1, -2))"),
    "linalg.matrix_transpose": (Phrase("xp.linalg.matrix_transpose(x)", "same"),),
    "linalg.outer": _fold("xp.linalg.outer(xp.ravel(x), xp.ravel(y)[:5])"),
    "linalg.tensordot": _fold("xp.linalg.tensordot(x, {x|y}, axes={1|([0], [0])})"),
    "linalg.trace": _fold("xp.linalg.trace(x, offset={k})"),
    "linalg.vecdot": _fold("xp.linalg.vecdot(x, x, axis=-1)"),
}  # fmt: skip
NORM = "norm={None|'ortho'|'forward'}"
FOURIER = {
    **{
        f"fft.{name}": _rounded("signals", f"xp.fft.{name}(x, {{None|4|7}}, {{0|-1}}, {NORM})")
        for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
    },
    **{
        f"fft.{name}": _rounded(
            "signals", f"xp.fft.{name}(x, {NORM})", f"xp.fft.{name}(x, (4, 3), (0, -1), {NORM})"
        )
        for name in ("fft2", "ifft2", "rfft2", "irfft2")
    },
    **{
        f"fft.{name}": _rounded(
            "signals", f"xp.fft.{name}(x, axes={{[0]|[-1]|[0, -1]|None}}, {NORM})"
        )
        for name in ("fftn", "ifftn", "rfftn", "irfftn")
    },
    "fft.fft_wrap": (
        Phrase("dt.fft.fft_wrap(np.fft.fft)(x)", "rounded", "signals", "np.fft.fft(x)"),
    ),
    "fft.fftfreq": _rounded("none", "xp.fft.fftfreq({1|4|7}, {1.0|0.1})"),
    "fft.rfftfreq": _rounded("none", "xp.fft.rfftfreq({1|4|7}, {1.0|0.1})"),
    "fft.fftshift": (Phrase("xp.fft.fftshift(x, {axes})", "same", "signals"),),
    "fft.ifftshift": (Phrase("xp.fft.ifftshift(x, {axes})", "same", "signals"),),
}
PHRASES: dict[str, tuple[Phrase | str, ...]] = {**PRODUCTS, **SPARSE, **LINALG, **FOURIER}
