# SPDX-License-Identifier: Apache-2.0
"""What the tests of the module `acl` share.

ASCPROF_TEST_TOP: the source folder. ASCPROF_TEST_LIBS: the folder of the shared
objects that tests/process/python.sh makes of the C files beside this one.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest

TOP = os.environ["ASCPROF_TEST_TOP"]
LIBS = os.environ["ASCPROF_TEST_LIBS"]
PROFDIR = os.path.join(TOP, "tests", "process", "profdir.py")

ACL_PROF_ACL_API = 0x1
ACL_PROF_MSPROFTX = 0x80
ACL_ERROR_INVALID_PARAM = 100000
ACL_ERROR_UNINITIALIZE = 100001
ACL_ERROR_REPEAT_INITIALIZE = 100002
ACL_ERROR_INVALID_PROFILING_CONFIG = 100010
ACL_ERROR_PROF_NOT_RUN = 100043
ACL_ERROR_FEATURE_UNSUPPORTED = 200006
ACL_ERROR_PROF_MODULES_UNSUPPORTED = 200007
ACL_ERROR_RT_INVALID_DEVICEID = 107001

MARK, PUSH_POP, RANGE = 0, 1, 2
ROW_BYTES = 256


def prof_directories(folder):
    return sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.startswith("PROF_"))


def rows(folder):
    """(event, message) of every msproftx row below `folder`."""
    found = []
    for directory in prof_directories(folder):
        data = os.path.join(directory, "host", "data")
        for name in os.listdir(data):
            if name.endswith(".done"):
                continue
            with open(os.path.join(data, name), "rb") as file:
                text = file.read()
            assert len(text) % ROW_BYTES == 0, f"{name}: {len(text)} bytes are no whole rows"
            for at in range(0, len(text), ROW_BYTES):
                row = text[at:at + ROW_BYTES]
                found.append((row[48], row[100:].split(b"\0", 1)[0].decode()))
    return found


def annotate(prof, message="message"):
    """One row of each kind; returns the codes of all calls that have one."""
    stamp = prof.create_stamp()
    codes = [0 if stamp else -1, prof.set_stamp_trace_message(stamp, message, len(message.encode())),
             prof.mark(stamp), prof.push(stamp), prof.pop()]
    range_id, code = prof.range_start(stamp)
    codes += [code, prof.range_stop(range_id)]
    prof.destroy_stamp(stamp)
    return codes


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="ascprof-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def run_python(self, source, *arguments, preload="", code=0, stderr="", env=None, time=120):
        """Runs a program in an interpreter of its own; returns what it printed.

        stderr: what it must print there, None for whatever.
        """
        env = dict(os.environ, ASCPROF_LOG="warn", **(env or {}))
        if preload:
            # a sanitizer's library, if there is one, must stay the first
            env["LD_PRELOAD"] = ":".join(filter(None, [env.get("LD_PRELOAD"), os.path.join(LIBS, preload)]))
        if os.path.exists(source):
            command = [sys.executable, source]
        else:
            command = [sys.executable, "-c", textwrap.dedent(source)]
        done = subprocess.run([*command, *arguments], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, universal_newlines=True, timeout=time, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        if stderr is not None:
            self.assertEqual(done.stderr, stderr)
        return done.stdout

    def check_directories(self, folder, state="stopped", *options):
        """Every file, row and account below `folder` is right; returns the number of rows of each kind."""
        done = subprocess.run([sys.executable, PROFDIR, "--state", state, *options, folder],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
        self.assertEqual(done.returncode, 0, done.stdout)
        lines = [line.split() for line in done.stdout.splitlines() if line.startswith("kind ")]
        return {kind: int(written) for _, kind, _, written, _, _ in lines if int(written)}


class Session(Case):
    """A test with a session that records msproftx."""

    def setUp(self):
        super().setUp()
        import acl
        self.prof = acl.prof
        self.assertEqual(self.prof.init(self.folder), 0)
        self.config = self.prof.create_config([], 0, 0, ACL_PROF_MSPROFTX)
        self.assertNotEqual(self.config, 0)
        self.assertEqual(self.prof.start(self.config), 0)

    def tearDown(self):
        self.prof.stop(self.config)
        self.prof.destroy_config(self.config)
        self.prof.finalize()

    def stop(self):
        self.assertEqual(self.prof.stop(self.config), 0)
