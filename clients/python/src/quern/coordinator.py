"""A search by a coordinator: proto/quern/v1/jobs.proto."""

import pathlib
import tempfile
import threading
import time
import uuid

import grpc

from quern import bundle
from quern.errors import QuernError
from quern.v1 import jobs_pb2, jobs_pb2_grpc

_DEADLINE = 60.0  # of a call that is no stream
_PAUSE = 0.5
_SEMANTICS = {"real": jobs_pb2.SEMANTICS_REAL, "ordered": jobs_pb2.SEMANTICS_ORDERED,
              "exact": jobs_pb2.SEMANTICS_EXACT}
_FINISHED = (jobs_pb2.JOB_STATE_SUCCEEDED, jobs_pb2.JOB_STATE_FAILED, jobs_pb2.JOB_STATE_CANCELLED)

_channels = {}
_lock = threading.Lock()


def _channel(server):
    """One for each address: a channel given is used as it is."""
    if not isinstance(server, str):
        return server
    with _lock:
        if server not in _channels:
            _channels[server] = grpc.insecure_channel(server, [("grpc.max_reconnect_backoff_ms", 1000)])
        return _channels[server]


def _spec(module, options):
    return jobs_pb2.JobSpec(
        spec=module,
        spec_name="jax",
        semantics=_SEMANTICS[options.semantics],
        assumptions=options.assume,
        error_ratio=options.error_ratio,
        threads=options.threads,
        budget_seconds=options.budget,
        max_candidates=options.candidates or 0,
        seed=options.seed,
        no_cache=not options.cache,
    )


class _Session:
    def __init__(self, options):
        channel = _channel(options.server)
        self._jobs = jobs_pb2_grpc.JobsStub(channel)
        self._kernels = jobs_pb2_grpc.KernelsStub(channel)
        self._patience = options.patience
        self._heard = time.monotonic()

    def _patiently(self, attempt):
        """What `attempt` returns; it is made again while the coordinator is away, for as long as patience allows."""
        self._heard = time.monotonic()
        while True:
            try:
                return attempt()
            except grpc.RpcError as error:
                if error.code() != grpc.StatusCode.UNAVAILABLE or time.monotonic() - self._heard > self._patience:
                    raise QuernError(f"the coordinator: {error.code().name}: {error.details()}") from error
                time.sleep(_PAUSE)

    def create(self, spec):
        request = jobs_pb2.CreateJobRequest(job=spec, request_id=uuid.uuid4().hex)
        return self._patiently(lambda: self._jobs.CreateJob(request, timeout=_DEADLINE))

    def finish(self, name):
        """The job when it is finished."""
        request = jobs_pb2.WatchJobRequest(name=name)

        def watch():
            for event in self._jobs.WatchJob(request):
                self._heard = time.monotonic()
                request.after_sequence = event.sequence
            return self._jobs.GetJob(jobs_pb2.GetJobRequest(name=name), timeout=_DEADLINE)

        while True:
            job = self._patiently(watch)
            if job.state in _FINISHED:
                return job

    def bundle(self, name):
        def fetch():
            with tempfile.TemporaryDirectory(prefix="quern-") as folder:
                for chunk in self._kernels.GetJobBundle(jobs_pb2.GetJobBundleRequest(job=name), timeout=_DEADLINE):
                    if pathlib.PurePath(chunk.file).name != chunk.file:
                        raise QuernError(f"the coordinator sent a file named {chunk.file!r}")
                    with open(f"{folder}/{chunk.file}", "ab") as file:
                        file.write(chunk.data)
                return bundle.read(folder)

        return self._patiently(fetch)


def optimize(module, options):
    """The bundle of a kernel for the module. QuernError if nothing is proved, or the coordinator fails or stays
    away."""
    session = _Session(options)
    job = session.finish(session.create(_spec(module, options)).name)
    if job.state != jobs_pb2.JOB_STATE_SUCCEEDED:
        raise QuernError(f"{job.name}: {job.error or jobs_pb2.JobState.Name(job.state)}")
    if not job.result.proved:
        raise QuernError(f"{job.name}: nothing was proved")
    return session.bundle(job.name)
