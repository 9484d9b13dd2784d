# SPDX-License-Identifier: Apache-2.0
"""Runs test programs, each in a folder of its own and with a time limit."""
import concurrent.futures
import os
import shutil
import signal
import subprocess
import tempfile
import time

import tap
from results import Case, FAIL, PASS, SKIP

OUTPUT_BYTES = 4 << 20
# The make that runs the tests has its own variables and job slots; those that tests run have not.
ENVIRONMENT = {name: value for name, value in os.environ.items()
               if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES")}


def default_signals():
    """A runner in the background of a shell has signals ignored; its programs must not."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def run_all(programs, verb, label, limit, jobs, work):
    default_signals()
    judge = _judge_tap if verb == "tap" else _judge_exit

    def one(path):
        name = os.path.splitext(os.path.basename(path))[0]
        code, output, seconds = _execute(os.path.abspath(path), limit, work)
        cases = judge((label + " " if label else "") + name, code, output, limit)
        cases[0].seconds = seconds
        return cases

    with concurrent.futures.ThreadPoolExecutor(max(1, jobs)) as pool:
        return [case for cases in pool.map(one, programs) for case in cases]


def _execute(path, limit, work):
    if work:
        os.makedirs(work, exist_ok=True)
    folder = tempfile.mkdtemp(prefix="test-", dir=os.path.abspath(work) if work else None)
    command = ["sh", path] if path.endswith(".sh") else [path]
    start = time.monotonic()
    try:
        with tempfile.TemporaryFile() as output:
            try:
                process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output,
                                           stderr=subprocess.STDOUT, cwd=folder, start_new_session=True,
                                           env=dict(ENVIRONMENT, TMPDIR=folder))
            except OSError as error:
                return "cannot be run: " + str(error), "", 0.0
            try:
                code = process.wait(limit)
            except subprocess.TimeoutExpired:
                code = None
            _kill_group(process.pid)
            process.wait()
            output.seek(0)
            text = output.read(OUTPUT_BYTES).decode("utf-8", "replace")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return code, text, time.monotonic() - start


def _kill_group(pid):
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def _ending(code, limit):
    """Why the program's end alone makes it fail; empty when it does not."""
    if code is None:
        return f"time limit of {limit:g} s reached"
    if isinstance(code, str):
        return code
    if code < 0:
        return "killed by " + signal.Signals(-code).name
    return f"exit code {code}" if code else ""


def _judge_exit(name, code, output, limit):
    if code == 77:
        lines = output.strip().splitlines()
        return [Case(name, SKIP, lines[-1] if lines else "")]
    ending = _ending(code, limit)
    return [Case(name, FAIL if ending else PASS, ending, output if ending else "")]


def _judge_tap(name, code, output, limit):
    document = tap.Document(output.splitlines())
    cases = list(document.cases(name + ": "))
    errors = list(document.errors)
    if document.skip_reason is not None and not cases and code in (0, 77):
        return [Case(name, SKIP, document.skip_reason)]
    if code == 77 and not cases:
        return _judge_exit(name, code, output, limit)
    if not document.planned:
        errors.append("no plan (1..N) was printed")
    ending = _ending(code, limit)
    if ending and not any(case.status == FAIL for case in cases):
        errors.append(ending)
    elif ending and code is None:
        errors.append(ending)
    if not cases:
        errors.append("no test ran")
    if errors:
        cases.append(Case(name, FAIL, "; ".join(errors), output))
    return cases
