import functools
import time
import warnings

import numpy as np
import pytest

jax = pytest.importorskip("jax")
import jax.numpy as jnp

import quern


def affine(x, w, b):
    return jnp.maximum(x @ w, 0) + b


def operands(seed=0):
    random = np.random.default_rng(seed)
    return tuple(random.standard_normal(shape, np.float32) for shape in [(16, 12), (12, 8), (8,)])


def close(actual, expected):
    jax.tree.map(functools.partial(np.testing.assert_allclose, rtol=1e-5, atol=1e-5), actual, expected)


def runs_kernel(function, *args):
    return "quern_kernel" in function.lower(*args).as_text()


@pytest.fixture(scope="module")
def kernel_of_affine(found):
    return found(lambda: quern.optimize(affine, *operands(), candidates=2))


def test_runs_the_kernel(kernel_of_affine):
    assert runs_kernel(kernel_of_affine, *operands())
    for seed in range(5):
        close(kernel_of_affine(*operands(seed)), affine(*operands(seed)))


def test_other_shapes_run_as_xla_code(kernel_of_affine):
    x, w, b = operands()
    close(kernel_of_affine(x[:3], w, b), affine(x[:3], w, b))
    assert not runs_kernel(kernel_of_affine, x[:3], w, b)
    assert len(kernel_of_affine.kernels) == 1


def test_is_differentiated(kernel_of_affine):
    def loss(function, *args):
        return jnp.square(function(*args)).sum()

    for argument in range(3):
        close(jax.grad(functools.partial(loss, kernel_of_affine), argument)(*operands()),
              jax.grad(functools.partial(loss, affine), argument)(*operands()))
    close(jax.jacfwd(kernel_of_affine)(*operands()), jax.jacfwd(affine)(*operands()))
    close(jax.hessian(kernel_of_affine, 2)(*operands()), jax.hessian(affine, 2)(*operands()))


def test_is_vectorized(kernel_of_affine):
    x, w, b = operands()
    batch = jnp.stack([x, x + 1, x + 2], axis=1)
    axes = (1, None, None)
    close(jax.vmap(kernel_of_affine, axes)(batch, w, b), jax.vmap(affine, axes)(batch, w, b))


def test_runs_within_other_transformations(kernel_of_affine):
    def outer(function, x, w, b):
        body = lambda _, y: function(x + y.sum(), w, b)
        return jax.lax.fori_loop(0, 3, body, jax.checkpoint(function)(x, w, b))

    inside = jax.jit(functools.partial(outer, kernel_of_affine))
    assert "quern_kernel" in inside.lower(*operands()).as_text()
    close(inside(*operands()), outer(affine, *operands()))
    with jax.disable_jit():
        close(kernel_of_affine(*operands()), affine(*operands()))


def test_takes_results_of_xla_at_any_place(kernel_of_affine):
    """Operands and results that lie in the middle of what XLA has allocated."""
    def outer(function, x, w, b):
        for _ in range(4):
            y = function(x, w, b)
            b = jnp.sin(y[0]) + 1
            x = x * y.mean() / 2
        return x, y, b

    close(jax.jit(functools.partial(outer, kernel_of_affine))(*operands()), outer(affine, *operands()))


def test_keeps_the_structure_of_arguments_and_results(found):
    def function(state, *, scale, unused):
        return {"sum": state["a"] + state["b"] * scale, "list": [state["a"], None]}

    state = {"a": np.ones((4, 6), np.float32), "b": np.full((4, 6), 2, np.float32)}
    rest = dict(scale=3.0, unused=jnp.zeros((5,)))

    def make():
        jitted = quern.jit(function, candidates=2)
        jitted(state, **rest)
        return jitted

    jitted = found(make)
    assert "quern_kernel" in jitted.lower(state, **rest).as_text()
    close(jitted(state, **rest), function(state, **rest))


def test_calls_do_not_wait_for_the_search(found):
    started = []

    def make():
        jitted = quern.jit(affine, budget=3)
        begin = time.monotonic()
        close(jitted(*operands()), affine(*operands()))
        started.append(time.monotonic() - begin)
        return jitted

    jitted = found(make)
    assert min(started) < 3
    assert runs_kernel(jitted, *operands())
    close(jitted(*operands()), affine(*operands()))


def test_searches_once_for_each_program(found):
    def make():
        @quern.jit(candidates=1, jit_options=dict(static_argnames="power"))
        def function(x, power):
            return x**power * np.arange(4, dtype=np.float32)

        for _ in range(3):
            function(np.ones(4, np.float32), 2)
        assert function.wait(120)
        for _ in range(3):
            close(function(np.full(4, 3, np.float32), 2), 9 * np.arange(4))
            close(function(np.full(4, 3, np.float32), 3), 27 * np.arange(4))
        return function

    function = found(make)
    assert len(function.kernels) + len(function.errors) == 2


def test_methods_are_decorated(found):
    class Model:
        def __init__(self, bias):
            self.bias = bias

        @functools.partial(quern.jit, candidates=1, jit_options=dict(static_argnums=0))
        def apply(self, x):
            return x + self.bias

    models = [Model(1.0), Model(2.0)]
    found(lambda: (close(models[0].apply(np.zeros(4, np.float32)), np.ones(4)), Model.apply)[1])
    close(models[0].apply(np.zeros(4, np.float32)), np.full(4, 1.0))
    close(models[1].apply(np.zeros(4, np.float32)), np.full(4, 2.0))


def test_subnormal_numbers_are_not_flushed(found):
    """XLA sets the floating-point state that a certificate excludes."""
    function = found(lambda: quern.optimize(lambda x: x + x, np.zeros(8, np.float32), candidates=1))
    tiny = np.full(8, 1e-40, np.float32)
    np.testing.assert_array_equal(function(tiny), tiny + tiny)


def test_several_threads_of_xla_run_blocks(found):
    shape = np.zeros((256, 512), np.float32)
    function = found(lambda: quern.optimize(lambda x: (x + 1, x.T), shape, candidates=2, threads=2))
    x = np.random.default_rng(0).standard_normal((256, 512), np.float32)
    for _ in range(50):
        close(function(x), (x + 1, x.T))


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "int8", "uint32", "bool", "float8_e4m3fn"])
def test_passes_element_types(found, dtype):
    x = jnp.asarray(np.arange(8), dtype)
    function = found(lambda: quern.optimize(lambda x, y: (jnp.where(y, x, jnp.roll(x, 1)),), x, x > 3, candidates=1))
    np.testing.assert_array_equal(function(x, x > 3)[0], np.where(x > 3, x, np.roll(x, 1)))


def expect_fallback(make, message):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function = make()
        for _ in range(3):
            close(function(*operands()), affine(*operands()))
        assert function.wait(120)
    warned = [str(warning.message) for warning in caught if warning.category is quern.QuernWarning]
    assert len(warned) == 1 and message in warned[0], warned
    assert not function.kernels
    assert not runs_kernel(function, *operands())
    close(function(*operands()), affine(*operands()))


@pytest.mark.parametrize("options, message", [
    (dict(quern="/nowhere/quern"), "/nowhere/quern"),
    (dict(quern="false"), "quern ended with 1"),
    (dict(assume=["arg7>=0"]), "arg7"),
    (dict(server="127.0.0.1:1", patience=0.1), "UNAVAILABLE"),
])
def test_falls_back_to_xla(options, message):
    expect_fallback(lambda: quern.jit(affine, **options), message)
    expect_fallback(lambda: quern.optimize(affine, *operands(), **options), message)


def test_falls_back_where_quern_does_not_know_an_operation():
    def function(x):
        return jnp.linalg.svd(x, compute_uv=False)

    with pytest.warns(quern.QuernWarning, match="function runs without quern"):
        decorated = quern.optimize(function, np.eye(4, dtype=np.float32))
    close(decorated(np.eye(4, dtype=np.float32)), np.ones(4))


def test_effects_and_captured_tracers_stay_with_xla():
    seen = []

    @quern.jit(quern="/nowhere/quern")
    def shout(x):
        jax.debug.callback(lambda value: seen.append(float(value)), x)
        return x + 1

    close(shout(np.float32(2)), 3)
    jax.effects_barrier()
    assert seen == [2]
    assert shout.wait(0) and not shout.errors

    @jax.jit
    def outer(y):
        inner = quern.jit(lambda x: x + y, quern="/nowhere/quern")
        result = inner(y)
        assert inner.wait(0) and not inner.errors
        return result

    close(outer(np.float32(2)), 4)


def test_errors_of_the_function_are_the_callers():
    @quern.jit
    def wrong(x):
        raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        wrong(np.zeros(3))
    with pytest.raises(ValueError, match="mine"):
        quern.optimize(wrong, np.zeros(3))


@pytest.mark.parametrize("options", [dict(semantics="fast"), dict(budget=0), dict(assume="arg0>=0"),
                                     dict(nonsense=1)])
def test_refuses_bad_options(options):
    with pytest.raises((ValueError, TypeError)):
        quern.jit(affine, **options)


def test_a_batch_is_optimized_in_order(found):
    x = np.ones((4, 4), np.float32)
    batch = [(lambda x: x + 1, x), (lambda x: x * 3, x), (lambda x: x - 2, x)]
    for function, expected in zip(quern.optimize_all(batch, candidates=1), [2, 3, -1]):
        close(function(x), np.full((4, 4), expected))


def test_a_call_costs_at_most_ten_microseconds_more_than_jit(found):
    x = jnp.ones(8, jnp.float32)
    plain = jax.jit(lambda x: x + x)
    decorated = found(lambda: quern.optimize(lambda x: x + x, x, candidates=1))

    def seconds(function, calls=2000):
        begin = time.perf_counter()
        for _ in range(calls):
            result = function(x)
        result.block_until_ready()
        return (time.perf_counter() - begin) / calls

    rounds = [(seconds(decorated), seconds(plain)) for _ in range(20)]
    decorated_best, plain_best = map(min, zip(*rounds))
    assert decorated_best - plain_best < 10e-6
