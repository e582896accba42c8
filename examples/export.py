#!/usr/bin/env python3
"""Writes the example specs beside this file. Needs `pip install jax`; the output is committed, so only a new example does."""

import pathlib

import jax
import jax.numpy as jnp

HERE = pathlib.Path(__file__).parent


def f32(*shape):
    return jax.ShapeDtypeStruct(shape, jnp.float32)


def bf16(*shape):
    return jax.ShapeDtypeStruct(shape, jnp.bfloat16)


def bf16_matmul(a, b):
    return jax.lax.dot(a, b, preferred_element_type=jnp.float32)


EXAMPLES = {
    "add_relu": (lambda x, y: jnp.maximum(x + y, 0), [f32(4096, 4096)] * 2),
    "row_sum": (lambda x: x.sum(axis=1), [f32(4096, 4096)]),
    "matmul_512": (lambda a, b: a @ b, [f32(512, 512)] * 2),
    "matmul_1024": (lambda a, b: a @ b, [f32(1024, 1024)] * 2),
    "matmul_bias_relu": (
        lambda a, b, bias: jax.nn.relu(a @ b + bias),
        [f32(512, 512), f32(512, 512), f32(512)],
    ),
    "matmul_bf16": (bf16_matmul, [bf16(1024, 1024)] * 2),
    "transpose_add": (lambda x, y: x.T + y, [f32(2048, 2048)] * 2),
}


def main():
    for name, (function, arguments) in EXAMPLES.items():
        text = jax.jit(function).lower(*arguments).as_text()
        (HERE / f"{name}.mlir").write_text(text)


if __name__ == "__main__":
    main()
