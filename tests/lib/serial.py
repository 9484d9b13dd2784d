# SPDX-License-Identifier: Apache-2.0
"""Judges the serial log of a lab guest. tests/qemu/init tells what its lines mean."""
import re

import tap
from results import Case, FAIL, PASS, SKIP

# A kernel that says one of these has failed, whatever the tests say.
COMPLAINT = re.compile("|".join((
    r"\bBUG\b", r"\bWARNING:", r"KASAN", r"KFENCE", r"KCSAN", r"UBSAN", r"ODEBUG", r"\bOops\b",
    r"Kernel panic", r"general protection fault", r"possible circular locking",
    r"possible recursive locking", r"inconsistent lock state", r"suspicious RCU usage",
    r"sleeping function called", r"scheduling while atomic", r"unreferenced object",
    r"rcu.*(?:stall|self-detected)", r"soft lockup", r"blocked for more than", r"refcount_t:",
    r"list_(?:add|del) corruption", r"bad page state", r"Call Trace:", r"lock held when returning",
)), re.IGNORECASE)
HARMLESS = re.compile(r"DEBUG|LAB (?:begin|end|boot:|host) |^ascprof: (?:warning|error): ")
INTERRUPT = re.compile(r"\]  asm_\w+\+0x")
FRAME = re.compile(r"LAB kernel: \[ *\d+\.\d+\] (?:Call Trace:| +(?:\? )?\S+\+0x[0-9a-f]+/0x)")
STAMP = re.compile(r"^(?:<\d+>)?\[ *\d+\.\d+\] ?")
COMPLAINT_LINES = 40

# Out-of-tree module, unsigned module, KUnit ran.
TAINT_ALLOWED = (1 << 12) | (1 << 13) | (1 << 18)
TAINT_WARNED = 1 << 9


class Step:
    def __init__(self, name):
        self.name = name
        self.code = None
        self.output = []
        self.kernel = []


class Log:
    def __init__(self, path):
        self.steps, self.complaints = [], []
        self.planned = self.taint = self.done = self.host = None
        self.died = 0
        self.release = "unknown kernel"
        self.rest = []
        with open(path, encoding="utf-8", errors="replace") as file:
            self.lines = [line.rstrip("\n") for line in file]
        step = None
        for line in self.lines:
            word = line.split(" ")
            if line.startswith("LAB up "):
                self.release = f"{word[2]} ({word[3]})" if len(word) > 3 else line
            elif line.startswith("LAB plan "):
                self.planned = int(word[2])
            elif line.startswith("LAB begin "):
                step = Step(line[len("LAB begin "):])
                self.steps.append(step)
            elif line.startswith("LAB end ") and step and len(word) == 4:
                step.code = int(word[3])
                step = None
            elif line.startswith("LAB taint "):
                self.taint = int(word[2])
            elif line.startswith("LAB done "):
                self.done = word[2]
            elif line.startswith("LAB host kernel="):
                self.host = line
                if self.planned is not None and "-san " in line:
                    self.release += " with sanitizers"
            elif line.startswith("LAB host died "):
                self.died = int(word[3])
            elif line.startswith("LAB kernel: "):
                if step:
                    step.kernel.append(STAMP.sub("", line[len("LAB kernel: "):]))
            elif line.startswith("LAB boot: "):
                pass
            else:
                (step.output if step else self.rest).append(line)
        warnings = self._foreign_warnings()
        self.warned = bool(warnings)
        foreign = self._foreign_races() | self._foreign_traces() | warnings
        self.complaints = [number for number, line in enumerate(self.lines)
                           if number not in foreign and COMPLAINT.search(line) and not HARMLESS.search(line)]

    def _foreign_races(self):
        """Lines of KCSAN's reports in which the module does not occur: the kernel has races of its own."""
        foreign, start = set(), None
        for number, line in enumerate(self.lines):
            if "BUG: KCSAN: " in line:
                start = number
            elif start is not None and ("======" in line or not line.startswith("LAB kernel: ")):
                if not self._of_module(start, number):
                    foreign.update(range(start, number))
                start = None
        return foreign

    def _of_module(self, start, end):
        """Is the module in a trace of these lines? What was interrupted, below, has no part in it."""
        interrupted = False
        for line in self.lines[start:end]:
            interrupted = " bytes by " not in line and (interrupted or INTERRUPT.search(line) is not None)
            if not interrupted and "[ascprof" in line:
                return True
        return False

    def _foreign_traces(self):
        """Traces of the kernel's own: where the folder of a module's drivers cannot be made, for want of
        memory, it links them in the root of sysfs, and complains the next time."""
        own, inside = set(), False
        for number, line in enumerate(self.lines):
            inside = inside or "duplicate filename '//pci:" in line
            if inside and FRAME.match(line):
                own.add(number)
            inside = inside and "</TASK>" not in line and line.startswith("LAB kernel: ")
        return own

    def _foreign_warnings(self):
        """Warnings of the kernel's own: files of an interrupt in /proc that could not be made, for
        want of memory, are not there when they are taken away."""
        own, seen, ours = set(), None, False
        for number, line in enumerate(self.lines):
            if "[ cut here ]" in line:
                seen, ours = [], False
            elif seen is not None and ("[ end trace " in line or not line.startswith("LAB kernel: ")):
                own.update(seen if ours else [])
                seen = None
            elif seen == [] and "WARNING: " in line and " at remove_proc_entry+" in line or seen and FRAME.match(line):
                seen.append(number)
                ours = ours or " unregister_irq_proc+" in line
        return own

    def excerpt(self):
        first = max(0, self.complaints[0] - 5)
        return "\n".join(self.lines[first:first + COMPLAINT_LINES])


def judge(path, label, kunit_file):
    name = (label + " " if label else "")
    try:
        log = Log(path)
    except OSError as error:
        return [Case(name + "guest", FAIL, str(error))]
    cases = []
    for step in log.steps:
        cases += _judge_step(step, name + step.name)
    if kunit_file:
        cases += _judge_kunit(log, name, kunit_file)
    cases.append(_judge_end(log, name + "guest ran to its end"))
    if log.complaints:
        cases.append(Case(name + "kernel log", FAIL, log.lines[log.complaints[0]], log.excerpt()))
    else:
        cases.append(Case(name + "kernel log", PASS))
    if log.died:
        cases.append(Case(name + "QEMU", SKIP, f"died of a segmentation fault {log.died} times before, see flow.sh"))
    for case in cases:
        case.booted = log.release
    return cases


def _judge_step(step, name):
    text = "\n".join(step.output + ["kernel: " + line for line in step.kernel])
    if step.code is None:
        return [Case(name, FAIL, "the guest did not live to its end", text)]
    cases, errors = [], []
    for lines in (step.output, step.kernel):
        if tap.looks_like_tap(lines):
            document = tap.Document(lines)
            cases += document.cases(name + ": ")
            errors += document.errors
            if lines is step.output and not document.planned:
                errors.append("no plan (1..N) was printed")
            if document.skip_reason is not None:
                cases.append(Case(name, SKIP, document.skip_reason))
    failed = any(case.status == FAIL for case in cases)
    if step.code == 77 and not cases:
        said = [line for line in step.output if line.strip()]
        return [Case(name, SKIP, said[-1] if said else "")]
    if step.code not in (0, 77) and not failed:
        errors.append("time limit reached or killed" if step.code == 137 else f"exit code {step.code}")
    if errors:
        cases.append(Case(name, FAIL, "; ".join(errors), text))
    return cases or [Case(name, PASS)]


def _judge_end(log, name):
    """A guest that just stops talking has failed."""
    wrong = []
    if log.planned is None:
        wrong.append("it never came up")
    elif log.planned != len(log.steps):
        wrong.append(f"{log.planned} steps were planned, {len(log.steps)} were begun")
    if log.planned == 0:
        wrong.append("its plan is empty")
    if log.done is None:
        wrong.append("it never said it was done")
    if log.host is None:
        wrong.append("nothing is known about the end of the machine")
    elif not re.search(r"\bverdict=pass$", log.host) and log.done in (None, "0"):
        wrong.append("the machine ended by itself: " + log.host)
    if log.taint is None:
        wrong.append("its taint value is unknown")
    elif log.taint & ~(TAINT_ALLOWED | (TAINT_WARNED if log.warned else 0)):
        wrong.append(f"the kernel is tainted: {log.taint}")
    output = "\n".join(log.lines[-30:]) if wrong else ""
    return Case(name, FAIL if wrong else PASS, "; ".join(wrong), output)


def _judge_kunit(log, name, path):
    """Every declared case must have a result: a suite that did not run is a failure."""
    with open(path, encoding="utf-8") as file:
        declared = {tuple(line.split()) for line in file if line.strip()}
    ran = []
    for step in log.steps:
        for suite in tap.Document(step.kernel).nodes:
            ran += [(suite.name, case.name) for case in suite.children]
    cases = [Case(f"{name}kunit {suite}: {case}", FAIL, "declared, but has no result")
             for suite, case in sorted(declared - set(ran))]
    cases += [Case(f"{name}kunit {suite}: {case}", FAIL, "has a result, but is not declared")
              for suite, case in sorted(set(ran) - declared)]
    if len(ran) != len(set(ran)):
        cases.append(Case(name + "kunit", FAIL, "a case has more than one result"))
    if not declared:
        cases.append(Case(name + "kunit", FAIL, "no case is declared"))
    return cases
