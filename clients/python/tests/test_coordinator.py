import signal
import subprocess
import time
import warnings

import numpy as np
import pytest

jax = pytest.importorskip("jax")
pytest.importorskip("grpc")
import jax.numpy as jnp
from conftest import BIN

import quern
from quern import local


class Service:
    def __init__(self, state):
        self.state = state
        self.address = "127.0.0.1:0"
        self.processes = []

    def start_coordinator(self):
        self.coordinator = self._start("quernd", "--listen", self.address, "--state", self.state,
                                       stdout=subprocess.PIPE)
        self.address = self.coordinator.stdout.readline().split()[-1]

    def start_worker(self):
        self.worker = self._start("quern-worker", "--coordinator", self.address)

    def kill_coordinator(self):
        self.coordinator.send_signal(signal.SIGKILL)
        self.coordinator.wait()

    def end(self):
        for process in self.processes:
            process.kill()
            process.wait()

    def _start(self, program, *words, **options):
        process = subprocess.Popen([BIN / program, *words], text=True, stderr=subprocess.DEVNULL, **options)
        self.processes.append(process)
        return process


@pytest.fixture
def service(tmp_path, monkeypatch):
    def forbidden(*_):
        raise AssertionError("searched on this machine")

    monkeypatch.setattr(local, "optimize", forbidden)
    service = Service(tmp_path / "state")
    service.start_coordinator()
    yield service
    service.end()


X = np.arange(32, dtype=np.float32).reshape(4, 8)


def double(x):
    return x + x


def sums(x):
    return jnp.tanh(x @ x.T).sum(axis=1)


def test_a_coordinator_finds_the_kernel(service, found):
    service.start_worker()
    function = found(lambda: quern.optimize(double, X, candidates=2, server=service.address))
    assert "quern_kernel" in function.lower(X).as_text()
    np.testing.assert_array_equal(function(X), X + X)


def test_the_environment_names_the_coordinator(service, found, monkeypatch):
    monkeypatch.setenv("QUERN_SERVER", service.address)
    service.start_worker()
    found(lambda: quern.optimize(double, X, candidates=1))


def test_a_batch_is_sent_at_once(service):
    batch = [(double, X), (double, X), (lambda x: x - 1, X)]
    service.start_worker()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", quern.QuernWarning)
        functions = quern.optimize_all(batch, candidates=1, server=service.address)
    for function, expected in zip(functions, [X + X, X + X, X - 1]):
        np.testing.assert_array_equal(function(X), expected)


def test_a_search_survives_the_coordinators_death(service, found):
    """Killed while the job waits for a worker; a new one on the same state goes on."""
    def make():
        function = quern.jit(double, candidates=1, server=service.address, patience=60, cache=False)
        np.testing.assert_array_equal(function(X), X + X)
        time.sleep(1)
        service.kill_coordinator()
        np.testing.assert_array_equal(function(X), X + X)
        service.start_coordinator()
        service.start_worker()
        return function

    function = found(make)
    np.testing.assert_array_equal(function(X), X + X)


def test_the_coordinators_death_changes_no_result(service):
    """Killed at different moments of a search, and gone for good."""
    plain = jax.jit(sums)(X)
    service.start_worker()
    for delay in (0, 0.3, 1.0):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            function = quern.jit(sums, budget=30, server=service.address, patience=0.5, cache=False)
            np.testing.assert_array_equal(function(X), plain)
            time.sleep(delay)
            service.kill_coordinator()
            for _ in range(100):
                np.testing.assert_array_equal(function(X), plain)
            assert function.wait(60)
            np.testing.assert_array_equal(function(X), plain)
        assert not function.kernels
        warned = [str(warning.message) for warning in caught if warning.category is quern.QuernWarning]
        assert len(warned) == 1 and "UNAVAILABLE" in warned[0], warned
        service.start_coordinator()


def test_a_kernel_needs_its_coordinator_no_more(service, found):
    service.start_worker()
    function = found(lambda: quern.optimize(sums, X, candidates=1, server=service.address))
    before = function(X)
    service.kill_coordinator()
    np.testing.assert_array_equal(function(X), before)


def test_a_refused_program_is_said_why(service):
    with pytest.warns(quern.QuernWarning, match="INVALID_ARGUMENT"):
        function = quern.optimize(lambda x: jnp.linalg.svd(x, compute_uv=False), X, server=service.address)
    assert function.errors
    with pytest.warns(quern.QuernWarning, match="assumptions"):
        quern.optimize(double, X, assume=["nonsense"], server=service.address)
