"""Layers of networks and what is made of their outputs."""

from __future__ import annotations

from typing import Any

import dask_tapestry as dt
from benchmarks.planner.corpus.job import USUAL, Cluster, Jobs, merged, nbytes, sent, stored

LEARNING_JOBS = Jobs()
job = LEARNING_JOBS.job

BATCH = nbytes(10_000_000, 1024, itemsize=4)
WEIGHTS = nbytes(1024, 1024, itemsize=4)
MANY = Cluster(4096, 8, 64)


def network(layers: int) -> Any:
    y = dt.placeholder((10_000_000, 1024), "f4", (1000, 1024))
    for _ in range(layers):
        y = dt.nn.relu(dt.nn.linear(y, dt.placeholder((1024, 1024), "f4")))
    return y


@job("MLP of 24 layers", MANY, MANY.bound(BATCH + 24 * WEIGHTS, 24 * sent(MANY, WEIGHTS), BATCH))
def deep() -> Any:
    return network(24)


@job("labels of an MLP", USUAL, USUAL.bound(BATCH + 4 * WEIGHTS, 4 * sent(USUAL, WEIGHTS)))
def labels() -> Any:
    return network(4).argmax(axis=1)


def attention(cells: int) -> Any:
    q, k, v = (dt.placeholder((cells, 128), "f4") for _ in range(3))
    scores = q @ k.T / 128**0.5
    scores = dt.exp(scores - scores.max(axis=-1, keepdims=True))
    return (scores / scores.sum(axis=-1, keepdims=True)) @ v


HEAD = nbytes(10**6, 128, itemsize=4)


@job("attention of a million", USUAL, USUAL.bound(3 * HEAD, 2 * sent(USUAL, HEAD), 3 * HEAD))
def long_attention() -> Any:
    return attention(10**6)


LOGITS = nbytes(50_000_000, 1000, itemsize=4)


def logits() -> Any:
    return dt.placeholder((50_000_000, 1000), "f4", (100_000, 1000))


@job("softmax to Zarr", USUAL, USUAL.bound(LOGITS))
def softmax() -> Any:
    x = logits()
    e = dt.exp(x - x.max(axis=1, keepdims=True))
    return stored(e / e.sum(axis=1, keepdims=True), (100_000, 1000))


@job("cross entropy", USUAL, USUAL.bound(LOGITS))
def cross_entropy() -> Any:
    x, y = logits(), dt.placeholder((50_000_000,), "i8", (100_000,))
    e = x - x.max(axis=1, keepdims=True)
    right = dt.take_along_axis(e, y[:, None], axis=1)[:, 0]
    return (dt.log(dt.exp(e).sum(axis=1)) - right).mean()


@job("layer norm to Zarr", USUAL, USUAL.bound(LOGITS))
def layer_norm() -> Any:
    x = logits()
    centred = x - x.mean(axis=1, keepdims=True)
    y = centred / dt.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-5)
    return stored(y, (100_000, 1000))


@job(
    "batch norm to Zarr",
    USUAL,
    USUAL.bound(2 * LOGITS, merged(USUAL, nbytes(2, 1000)), passes=2, again=LOGITS),
)
def batch_norm() -> Any:
    x = logits()
    y = (x - x.mean(axis=0)) / dt.sqrt(x.var(axis=0) + 1e-5)
    return stored(y, (100_000, 1000))


@job("scores of labels", USUAL, USUAL.bound(LOGITS))
def accuracy() -> Any:
    y = dt.placeholder((50_000_000,), "i8", (100_000,))
    return (logits().argmax(axis=1) == y).mean()


VOCABULARY = nbytes(50_000, 512, itemsize=4)
TOKENS = nbytes(100_000_000)


@job(
    "embeddings to Zarr",
    USUAL,
    USUAL.bound(TOKENS + VOCABULARY, sent(USUAL, VOCABULARY), work=2e11),
)
def embeddings() -> Any:
    table = dt.placeholder((50_000, 512), "f4")
    tokens = dt.placeholder((100_000_000,), "i8", (1_000_000,))
    return stored(dt.take(table, tokens, axis=0), (100_000, 512))


@job("weights of a layer after a step", USUAL, USUAL.bound(2 * BATCH, 2 * merged(USUAL, WEIGHTS)))
def training() -> Any:
    x = dt.placeholder((10_000_000, 1024), "f4", (10_000, 1024))
    y = dt.placeholder((10_000_000, 1024), "f4", (10_000, 1024))
    w = dt.placeholder((1024, 1024), "f4")
    return w - 1e-3 * (x.T @ (x @ w - y))
