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


def i32(*shape):
    return jax.ShapeDtypeStruct(shape, jnp.int32)


def bf16_matmul(a, b):
    return jax.lax.dot(a, b, preferred_element_type=jnp.float32)


def layernorm(x, scale, shift):
    mean = x.mean(axis=-1, keepdims=True)
    variance = jnp.square(x - mean).mean(axis=-1, keepdims=True)
    return (x - mean) / jnp.sqrt(variance + 1e-5) * scale + shift


def layernorm_backward(x, scale, shift, gradient):
    return jax.vjp(layernorm, x, scale, shift)[1](gradient)


def rmsnorm(x, scale):
    return x * jax.lax.rsqrt(jnp.square(x).mean(axis=-1, keepdims=True) + 1e-6) * scale


def cross_entropy(logits, labels):
    return -jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], axis=-1).mean()


def attention(q, k, v):
    return jax.nn.softmax(jnp.einsum("hqd,hkd->hqk", q, k) / q.shape[-1] ** 0.5) @ v


def causal_attention(q, k, v):
    scores = jnp.einsum("hqd,hkd->hqk", q, k) / q.shape[-1] ** 0.5
    visible = jnp.tril(jnp.ones(scores.shape[1:], bool))
    return jax.nn.softmax(jnp.where(visible, scores, -jnp.inf)) @ v


def gqa_decode(q, k, v):
    """One query of 32 heads; 8 heads of keys and values, each for 4 of them."""
    scores = jnp.einsum("ghd,gkd->ghk", q, k) / q.shape[-1] ** 0.5
    return jnp.einsum("ghk,gkd->ghd", jax.nn.softmax(scores), v)


def convolve(x, kernel, groups=1):
    return jax.lax.conv_general_dilated(x, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"),
                                        feature_group_count=groups)


def adamw(weight, gradient, first, second):
    first = 0.9 * first + 0.1 * gradient
    second = 0.999 * second + 0.001 * jnp.square(gradient)
    step = first / 0.1 / (jnp.sqrt(second / 0.001) + 1e-8)
    return weight - 1e-3 * (step + 0.01 * weight), first, second


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
    "swiglu": (lambda x, gate, up: jax.nn.silu(x @ gate) * (x @ up), [f32(256, 512), f32(512, 1024), f32(512, 1024)]),
    "softmax": (jax.nn.softmax, [f32(1024, 1024)]),
    "cross_entropy": (cross_entropy, [f32(512, 4096), i32(512)]),
    "layernorm": (layernorm, [f32(1024, 768), f32(768), f32(768)]),
    "layernorm_backward": (layernorm_backward, [f32(1024, 768), f32(768), f32(768), f32(1024, 768)]),
    "rmsnorm": (rmsnorm, [f32(1024, 1024), f32(1024)]),
    "attention": (attention, [f32(8, 512, 64)] * 3),
    "attention_causal": (causal_attention, [f32(8, 512, 64)] * 3),
    "attention_long": (attention, [f32(16, 64, 64), f32(16, 4096, 64), f32(16, 4096, 64)]),
    "gqa_decode": (gqa_decode, [f32(8, 4, 64), f32(8, 8192, 64), f32(8, 8192, 64)]),
    "conv_3x3": (convolve, [f32(4, 56, 56, 64), f32(3, 3, 64, 64)]),
    "conv_depthwise": (lambda x, k: convolve(x, k, groups=64), [f32(4, 56, 56, 64), f32(3, 3, 1, 64)]),
    "mean_variance": (lambda x: (x.mean(axis=1), x.var(axis=1)), [f32(2048, 2048)]),
    "adamw": (adamw, [f32(1024, 1024)] * 4),
    "embedding_layernorm": (
        lambda table, rows, scale, shift: layernorm(table[rows], scale, shift),
        [f32(32000, 512), i32(512), f32(512), f32(512)],
    ),
    "matmul_chain": (lambda a, b, c: a @ b @ c, [f32(512, 64), f32(64, 512), f32(512, 512)]),
    "matmul_batched": (lambda a, b: a @ b, [f32(256, 32, 32)] * 2),
    "matvec": (lambda a, x: a @ x, [f32(4096, 4096), f32(4096)]),
}


def main():
    for name, (function, arguments) in EXAMPLES.items():
        text = jax.jit(function).lower(*arguments).as_text()
        (HERE / f"{name}.mlir").write_text(text)


if __name__ == "__main__":
    main()
