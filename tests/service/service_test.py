#!/usr/bin/env python3
"""Runs quernd, quern-worker and quern as processes on this machine, and kills them.

usage: service_test.py BIN_FOLDER
"""

import json
import os
import pathlib
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

BIN = pathlib.Path(sys.argv.pop(1)) if len(sys.argv) > 1 else pathlib.Path("build/bin")
PATIENCE = 60  # seconds that anything may take

ADD = """func.func @main(%a: tensor<32x48xf32>, %b: tensor<32x48xf32>) -> tensor<32x48xf32> {
  %0 = stablehlo.add %a, %b : tensor<32x48xf32>
  return %0 : tensor<32x48xf32>
}
"""
DOT = """func.func @main(%a: tensor<16x24xf32>, %b: tensor<24x32xf32>) -> tensor<16x32xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
      : (tensor<16x24xf32>, tensor<24x32xf32>) -> tensor<16x32xf32>
  return %0 : tensor<16x32xf32>
}
"""


class ServiceTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        self.processes = []
        self.addCleanup(self.end_all)
        self.address = "127.0.0.1:0"
        self.start_coordinator()

    def end_all(self):
        for process in self.processes:
            if process.poll() is None:
                process.kill()
            process.wait()
            for stream in (process.stdout, process.stderr):
                if stream:
                    stream.close()

    def start(self, *words, **options):
        process = subprocess.Popen([str(word) for word in words], text=True, **options)
        self.processes.append(process)
        return process

    def start_coordinator(self):
        self.coordinator = self.start(BIN / "quernd", "--listen", self.address, "--state", self.root / "state",
                                      stdout=subprocess.PIPE)
        line = self.coordinator.stdout.readline()
        self.assertRegex(line, r"^listening on 127\.0\.0\.1:\d+\n$")
        self.address = line.split()[-1]

    def start_worker(self):
        self.worker = self.start(BIN / "quern-worker", "--coordinator", self.address)

    def quern(self, *words):
        """A run that has ended: (exit code, stdout, stderr)."""
        run = subprocess.run([str(BIN / "quern"), *map(str, words), "--server", self.address], text=True,
                             capture_output=True, timeout=PATIENCE)
        return run.returncode, run.stdout, run.stderr

    def optimize(self, name, program, *words):
        spec = self.root / f"{name}.mlir"
        spec.write_text(program)
        return self.start(BIN / "quern", "optimize", spec, "--server", self.address, "--json", "--seed", 1,
                          "--out", self.root / name, *words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def finish(self, process):
        out, err = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 0, err)
        return json.loads(out), err

    def expect_proved(self, name, result):
        self.assertEqual(result["verdict"], "proved")
        self.assertEqual(result["timing"], "measured")
        replay = subprocess.run([BIN / "quern-check", "replay", self.root / name], capture_output=True, text=True,
                                timeout=PATIENCE)
        self.assertEqual(replay.returncode, 0, replay.stdout + replay.stderr)

    def tasks(self):
        """Of all jobs: the finished tasks, key: (attempt, result)."""
        database = sqlite3.connect(f"file:{self.root}/state/tasks.sqlite?mode=ro", uri=True)
        try:
            rows = database.execute("SELECT job, key, attempt, result FROM task WHERE state = 2").fetchall()
        finally:
            database.close()
        self.assertEqual(len(rows), len({row[:2] for row in rows}), "a task is there twice")
        return {row[:2]: row[2:] for row in rows}

    def wait_until(self, what, condition):
        end = time.monotonic() + PATIENCE
        while not condition():
            self.assertLess(time.monotonic(), end, f"waited in vain until {what}")
            time.sleep(0.05)

    def test_waits_for_a_worker_then_proves_then_remembers(self):
        job = self.optimize("add", ADD, "--candidates", 4)
        self.wait_until("the job is there", lambda: "jobs/1" in self.quern("jobs", "list")[1])
        code, out, _ = self.quern("jobs", "show", "1")
        self.assertEqual(code, 0)
        self.assertRegex(out, r"jobs/1 +PENDING .*no worker is connected")
        self.assertEqual(self.quern("workers", "list")[:2], (0, ""))
        self.start_worker()
        result, err = self.finish(job)
        self.assertIn("no worker is connected: waiting", err)
        self.expect_proved("add", result)
        self.assertEqual(result["cache"], "miss")
        self.assertEqual(result["candidates"]["enumerated"], 4)
        self.assertRegex(self.quern("workers", "list")[1], r"^workers/\S+  cpu .* ready\n$")
        self.assertTrue(result["worker"])
        again, _ = self.finish(self.optimize("again", ADD, "--candidates", 4))
        self.expect_proved("again", again)
        self.assertEqual(again["cache"], "hit")
        self.assertRegex(self.quern("jobs", "list", "--state", "SUCCEEDED")[1], r"^jobs/2 .*\njobs/1 .*\n$")
        self.assertRegex(self.quern("jobs", "watch", "1")[1], r"^PENDING: created\nRUNNING: started\n")

        self.coordinator.send_signal(signal.SIGTERM)
        self.assertEqual(self.coordinator.wait(PATIENCE), 0)
        self.worker.send_signal(signal.SIGTERM)
        self.assertEqual(self.worker.wait(PATIENCE), 0)

    def test_a_killed_coordinator_goes_on_where_it_was(self):
        self.start_worker()
        job = self.optimize("dot", DOT, "--candidates", 30)
        self.wait_until("some candidates are measured", lambda: len(self.tasks()) >= 4)
        self.coordinator.kill()
        self.coordinator.wait()
        before = self.tasks()
        self.assertIsNone(job.poll(), "the job was done before the coordinator was killed")
        self.start_coordinator()
        result, err = self.finish(job)
        self.assertIn("the coordinator was started again", err)
        self.expect_proved("dot", result)
        self.assertEqual(result["candidates"]["enumerated"], 30)
        after = self.tasks()
        for key, value in before.items():
            self.assertEqual(after[key], value, "what was measured is kept, and measured once")
        self.assertGreater(len(after), len(before))
        self.assertRegex(self.quern("jobs", "list")[1], r"^jobs/1 +SUCCEEDED [^\n]*\n$")

    def test_a_killed_worker_is_replaced(self):
        self.start_worker()
        job = self.optimize("dot", DOT, "--candidates", 12)
        self.wait_until("some candidates are measured", lambda: len(self.tasks()) >= 3)
        self.worker.kill()
        self.worker.wait()
        self.start_worker()
        result, _ = self.finish(job)
        self.expect_proved("dot", result)

    def test_a_job_is_cancelled(self):
        job = self.optimize("add", ADD)
        self.wait_until("the job is there", lambda: "jobs/1" in self.quern("jobs", "list")[1])
        code, out, _ = self.quern("jobs", "cancel", "1")
        self.assertEqual(code, 0)
        self.assertIn("CANCELLED", out)
        _, err = job.communicate(timeout=PATIENCE)
        self.assertEqual(job.returncode, 1)
        self.assertIn("jobs/1 was cancelled", err)
        self.assertFalse((self.root / "add").exists())

    def test_bad_input_is_said_and_leaves_nothing(self):
        bad = self.root / "bad.mlir"
        bad.write_text("func.func @main( {")
        code, out, err = self.quern("optimize", bad)
        self.assertEqual((code, out), (1, ""))
        self.assertIn("job.spec: ", err)
        self.assertIn("bad.mlir:1:", err)
        self.assertEqual(self.quern("jobs", "list")[:2], (0, ""))
        self.assertEqual(self.quern("jobs", "show", "seventeen")[0], 1)
        self.assertEqual(self.quern("jobs", "show", "17")[0], 1)
        worker = subprocess.run([BIN / "quern-worker", "--coordinator", self.address, "--device", "toaster"],
                                capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(worker.returncode, 1)
        self.assertIn("toaster", worker.stderr)
        other = subprocess.run([BIN / "quernd", "--listen", "0.0.0.0:0", "--state", self.root / "other"],
                               capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(other.returncode, 1)
        self.assertIn("--insecure-any", other.stderr)


if __name__ == "__main__":
    os.environ.pop("QUERN_SERVER", None)
    unittest.main()
