#!/usr/bin/env python3
"""Tests include_table.py on small trees. Run: python3 tools/include_table_test.py"""

import pathlib
import tempfile
import unittest

import include_table  # beside this file


class IncludeTableTest(unittest.TestCase):
    def check(self, name, text):
        with tempfile.TemporaryDirectory() as root:
            path = pathlib.Path(root, name)
            path.parent.mkdir(parents=True)
            path.write_text(text)
            return include_table.check(pathlib.Path(root))

    def test_verifier_may_not_see_search(self):
        errors = self.check("verifier/checker.cc", '#include <vector>\n#include "search/session.h"\n')
        self.assertEqual(len(errors), 1)
        self.assertIn("verifier/checker.cc:2: verifier may not include search/session.h", errors[0])

    def test_verifier_sees_stablehlo_but_not_programs(self):
        self.assertEqual(self.check("verifier/a.cc", '#include "ir/stablehlo/stablehlo.h"\n'), [])
        self.assertEqual(len(self.check("verifier/a.cc", '#include "ir/program/program.h"\n')), 1)

    def test_workers_see_only_the_machine_of_the_verifier(self):
        self.assertEqual(self.check("workers/a.cc", '#include "verifier/machine/machine.h"\n'), [])
        self.assertEqual(len(self.check("workers/a.cc", '#include "verifier/checker.h"\n')), 1)

    def test_runner_uses_the_abi_alone(self):
        self.assertEqual(self.check("workers/runner/a.cc", '#include "bundle/quern_abi.h"\n'), [])
        self.assertEqual(len(self.check("workers/runner/a.cc", '#include "bundle/tensor.h"\n')), 1)
        self.assertEqual(len(self.check("workers/runner/a.cc", '#include "absl/status/status.h"\n')), 1)

    def test_generated_headers_belong_to_proto(self):
        self.assertEqual(self.check("workers/a.cc", '#include "quern/v1/jobs.pb.h"\n'), [])
        errors = self.check("search/a.cc", '#include "quern/v1/jobs.pb.h"\n')
        self.assertEqual(len(errors), 1)
        self.assertIn("search may not include proto/quern/v1/jobs.pb.h", errors[0])

    def test_includes_are_from_the_root(self):
        self.assertEqual(len(self.check("bundle/a.cc", '#include "tensor.h"\n')), 1)


if __name__ == "__main__":
    unittest.main()
