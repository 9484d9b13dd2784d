#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the runner itself: what must turn it red does. Prints TAP."""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
RUN = os.path.join(HERE, "..", "run")

GOOD_LOG = """\
LAB up 6.1.0 x86_64
LAB plan 2
LAB begin ring
1..1
ok 1 - positions

LAB kernel: [    2.024600]     KTAP version 1
LAB kernel: [    2.024653]     # Subtest: ring
LAB kernel: [    2.024683]     1..2
LAB kernel: [    2.025866]     ok 1 empty
LAB kernel: [    2.026669]     ok 2 full
LAB kernel: [    2.028468] ok 1 ring
LAB end ring 0
LAB begin quiet
LAB end quiet 0
LAB taint 12288
LAB done 0
LAB host kernel=6.1.0 version=6.1.1-1 arch=amd64 exit=33 verdict=pass
"""

KASAN = "LAB kernel: [    2.1] BUG: KASAN: slab-out-of-bounds in t_two+0x1d/0x40\n"
RACE = """\
LAB kernel: [    2.1] ==================================================================
LAB kernel: [    2.1] BUG: KCSAN: data-race in one / two
LAB kernel: [    2.1] write to 0xffff of 8 bytes by task 30 on cpu 0:
LAB kernel: [    2.1]  one+0x1d/0x40%s
LAB kernel: [    2.1] ==================================================================
"""
INTERRUPTED = """
LAB kernel: [    2.1]  asm_common_interrupt+0x22/0x40
LAB kernel: [    2.1]  two+0x1d/0x40"""
LINKS = """\
LAB kernel: [    2.1] sysfs: cannot create duplicate filename '//pci:ascprof'
LAB kernel: [    2.1] Call Trace:
LAB kernel: [    2.1]  <TASK>
LAB kernel: [    2.1]  ? kasan_unpoison+0x23/0x50
%sLAB kernel: [    2.1]  </TASK>
"""
IRQ = """\
LAB kernel: [    2.1] ------------[ cut here ]------------
LAB kernel: [    2.1] name 'affinity_hint'
LAB kernel: [    2.1] WARNING: CPU: 0 PID: 61 at remove_proc_entry+0x191/0x260
LAB kernel: [    2.1] Call Trace:
LAB kernel: [    2.1]  <TASK>
LAB kernel: [    2.1]  %s+0xaf/0x180
LAB kernel: [    2.1]  free_desc+0x24/0x70
LAB kernel: [    2.1] ---[ end trace 0000000000000000 ]---
"""
DECLARED = "ring empty\nring full\n"

# name, program (sh), verb, expected closing line, text that must be shown
PROGRAMS = (
    ("a passing case", "echo 1..1; echo ok 1 - x", "tap", "1 passed, 0 failed", ""),
    ("a failing case", "echo 1..2; echo ok 1 - x; echo '# why'; echo not ok 2 - y; exit 1", "tap",
     "1 passed, 1 failed", "# why"),
    ("a failing case and exit code 0", "echo 1..1; echo not ok 1 - y", "tap", "0 passed, 1 failed", "y"),
    ("exit code 1 though all is ok", "echo 1..1; echo ok 1 - x; exit 1", "tap", "1 passed, 1 failed",
     "exit code 1"),
    ("a crash", "echo 1..1; echo ok 1 - x; kill -SEGV $$", "tap", "1 passed, 1 failed", "SIGSEGV"),
    ("a missing result", "echo 1..2; echo ok 1 - x", "tap", "1 passed, 1 failed", "2 tests were planned"),
    ("no plan", "echo ok 1 - x", "tap", "1 passed, 1 failed", "no plan"),
    ("silence", "true", "tap", "0 passed, 1 failed", "no test ran"),
    ("a nested failure", "echo 1..1; echo '    1..2'; echo '    ok 1 a'; echo '    not ok 2 b'; echo not ok 1 - s",
     "tap", "1 passed, 1 failed", "s/b"),
    ("an outer failure alone", "echo 1..1; echo '    1..1'; echo '    ok 1 a'; echo not ok 1 - s", "tap",
     "1 passed, 1 failed", "s"),
    ("a bail-out", "echo 1..1; echo ok 1 - x; echo Bail out! no memory", "tap", "1 passed, 1 failed", "no memory"),
    ("a skipped case", "echo 1..1; echo 'ok 1 - x # SKIP no device'", "tap", "0 passed, 0 failed, 1 skipped",
     "no device"),
    ("a skipped program", "echo '1..0 # SKIP no device'", "tap", "0 passed, 0 failed, 1 skipped", "no device"),
    ("a hanging program", "echo 1..1; echo ok 1 - x; sleep 60", "tap", "1 passed, 1 failed", "time limit"),
    ("a shell step", f". {HERE}/tap.sh; good() {{ true; }}; step s good; tap_end", "tap", "1 passed, 0 failed", ""),
    ("a shell step that fails half-way", f". {HERE}/tap.sh; bad() {{ echo why; false; true; }}; step s bad; tap_end",
     "tap", "0 passed, 1 failed", "why"),
    ("a shell step that skips", f". {HERE}/tap.sh; skip() {{ echo no tool; exit 77; }}; step s skip; tap_end", "tap",
     "0 passed, 0 failed, 1 skipped", "no tool"),
    ("exit 0", "true", "exit", "1 passed, 0 failed", ""),
    ("exit 1", "echo because; exit 1", "exit", "0 passed, 1 failed", "because"),
    ("exit 77", "echo no device; exit 77", "exit", "0 passed, 0 failed, 1 skipped", "no device"),
    ("a signal", "kill -ABRT $$", "exit", "0 passed, 1 failed", "SIGABRT"),
    ("a hanging process", "sleep 60 & wait", "exit", "0 passed, 1 failed", "time limit"),
)

# name, log, declared cases, expected closing line, text that must be shown
LOGS = (
    ("a good guest", GOOD_LOG, DECLARED, "6 passed, 0 failed", ""),
    ("a splat", GOOD_LOG.replace("LAB end ring 0\n", KASAN + "LAB end ring 0\n"), DECLARED, "5 passed, 1 failed",
     "KASAN"),
    ("a race of the module's", GOOD_LOG.replace("LAB end ring 0\n", RACE % " [ascprof]" + "LAB end ring 0\n"),
     DECLARED, "5 passed, 1 failed", "KCSAN"),
    ("a race of the module's in an interrupt", GOOD_LOG.replace(
        "LAB end ring 0\n", RACE % (" [ascprof]" + INTERRUPTED) + "LAB end ring 0\n"), DECLARED,
     "5 passed, 1 failed", "KCSAN"),
    ("a race in an interrupt of the module", GOOD_LOG.replace("LAB end ring 0\n", RACE % (INTERRUPTED + " [ascprof]") +
                                                             "LAB end ring 0\n"), DECLARED, "6 passed, 0 failed", ""),
    ("a race of the kernel's own", GOOD_LOG.replace("LAB end ring 0\n", RACE % "" + "LAB end ring 0\n").replace(
        "version=6.1.1-1", "version=6.1.1-1-kcsan"), DECLARED, "6 passed, 0 failed", ""),
    ("a trace of the kernel's own", GOOD_LOG.replace("LAB end ring 0\n", LINKS % "" + "LAB end ring 0\n"), DECLARED,
     "6 passed, 0 failed", ""),
    ("a splat in a trace of the kernel's own", GOOD_LOG.replace("LAB end ring 0\n", LINKS % KASAN + "LAB end ring 0\n"),
     DECLARED, "5 passed, 1 failed", "KASAN"),
    ("a trace that nothing explains", GOOD_LOG.replace("LAB end ring 0\n", LINKS[LINKS.index("\n") + 1:] % "" +
                                                       "LAB end ring 0\n"), DECLARED, "5 passed, 1 failed", "Call Trace"),
    ("a warning of the kernel's own", GOOD_LOG.replace("LAB end ring 0\n", IRQ % "unregister_irq_proc" +
                                                      "LAB end ring 0\n").replace("taint 12288", "taint 12800"),
     DECLARED, "6 passed, 0 failed", ""),
    ("the same warning from elsewhere", GOOD_LOG.replace("LAB end ring 0\n", IRQ % "asc_exit" + "LAB end ring 0\n")
     .replace("taint 12288", "taint 12800"), DECLARED, "4 passed, 2 failed", "remove_proc_entry"),
    ("another warning behind it", GOOD_LOG.replace(
        "LAB end ring 0\n", IRQ % "unregister_irq_proc" + "LAB kernel: [    2.2] WARNING: CPU: 0 PID: 1 at x+0x1/0x2\n"
        "LAB end ring 0\n").replace("taint 12288", "taint 12800"), DECLARED, "5 passed, 1 failed", "at x+0x1"),
    ("a leak", GOOD_LOG.replace("LAB taint", "LAB kernel: unreferenced object 0xffff (size 64):\nLAB taint"),
     DECLARED, "5 passed, 1 failed", "unreferenced"),
    ("a failing KUnit case", GOOD_LOG.replace("    ok 2 full", "    not ok 2 full").replace("] ok 1 ring",
                                                                                       "] not ok 1 ring"),
     DECLARED, "5 passed, 1 failed", "ring/full"),
    ("a KUnit suite that did not run", GOOD_LOG, DECLARED + "stream start\n", "6 passed, 1 failed",
     "kunit stream: start"),
    ("a guest that dies silently", GOOD_LOG[:GOOD_LOG.index("LAB end ring")] +
     "LAB host kernel=6.1.0 version=6.1.1-1 arch=amd64 exit=0 verdict=fail\n", DECLARED, "1 passed, 2 failed",
     "never said it was done"),
    ("a guest that never came up", "LAB host kernel=6.1.0 version=6.1.1-1 arch=amd64 exit=124 verdict=fail\n", "",
     "1 passed, 1 failed", "never came up"),
    ("a panic", GOOD_LOG[:GOOD_LOG.index("LAB end quiet")] + "[    3.0] Kernel panic - not syncing: x\n"
     "LAB host kernel=6.1.0 version=6.1.1-1 arch=amd64 exit=0 verdict=fail\n", DECLARED, "3 passed, 3 failed",
     "Kernel panic"),
    ("a wrong exit code of the machine", GOOD_LOG.replace("exit=33 verdict=pass", "exit=0 verdict=fail"), DECLARED,
     "5 passed, 1 failed", "ended by itself"),
    ("a machine that died before", GOOD_LOG + "LAB host died 2\n", DECLARED, "6 passed, 0 failed, 1 skipped",
     "segmentation fault 2 times"),
    ("a step that fails", GOOD_LOG.replace("LAB end quiet 0", "LAB end quiet 1").replace("done 0", "done 1")
     .replace("exit=33 verdict=pass", "exit=35 verdict=fail"), DECLARED, "5 passed, 1 failed", "exit code 1"),
    ("a tainted kernel", GOOD_LOG.replace("taint 12288", "taint 12800"), DECLARED, "5 passed, 1 failed", "tainted"),
    ("an empty plan", "LAB up 6.1.0 x86_64\nLAB plan 0\nLAB taint 0\nLAB done 0\n"
     "LAB host kernel=6.1.0 version=6.1.1-1 arch=amd64 exit=33 verdict=pass\n", "", "1 passed, 1 failed",
     "plan is empty"),
)

MAKEFILE = """\
part-good:
\t{run} exit --result {out}/good/x.json {good}
part-bad:
\t{run} exit --result {out}/bad/x.json {bad}
part-broken:
\tfalse
part-empty:
part-mixed:
\t{run} exit --result {out}/mixed/x.json {good}
\tfalse
"""

# name, parts, expected closing line
PARTS = (
    ("a good part", "good", "1 passed, 0 failed"),
    ("a bad part", "bad good", "1 passed, 1 failed"),
    ("a part that does not build", "broken good", "1 passed, 1 failed"),
    ("a part without tests", "empty", "0 passed, 1 failed"),
    ("a part that fails after its tests", "mixed", "1 passed, 1 failed"),
    ("no part", "", "0 passed, 1 failed"),
)


def script(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\n" + text + "\n")
    os.chmod(path, 0o755)
    return path


def run(*arguments):
    done = subprocess.run([sys.executable, RUN, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, stdin=subprocess.DEVNULL, check=False)
    return done.returncode, done.stdout


def verdict(code, output, closing, shown):
    lines = output.strip().splitlines() or [""]
    problems = []
    if lines[-1] != closing:
        problems.append(f"last line '{lines[-1]}', expected '{closing}'")
    if (code == 0) != (", 0 failed" in closing):
        problems.append(f"exit code {code}")
    if shown and shown not in output:
        problems.append(f"'{shown}' is not shown")
    return problems, output


def tests(folder):
    for name, text, verb, closing, shown in PROGRAMS:
        path = script(folder, "program", text)
        yield name, verdict(*run(verb, "--time", "2", "--work", folder, path), closing, shown)
    yield "a program that is not there", verdict(*run("exit", folder + "/nowhere"), "0 passed, 1 failed", "cannot be run")
    yield "no program", verdict(*run("tap"), "0 passed, 1 failed", "nothing ran")
    for name, text, declared, closing, shown in LOGS:
        log, cases = os.path.join(folder, "log"), os.path.join(folder, "declared")
        for path, content in ((log, text), (cases, declared)):
            with open(path, "w", encoding="utf-8") as file:
                file.write(content)
        yield name, verdict(*run("serial", *(["--kunit", cases] if declared else []), log), closing, shown)
    yield "a log that is not there", verdict(*run("serial", folder + "/nowhere"), "0 passed, 1 failed", "No such file")
    out = os.path.join(folder, "out")
    makefile = script(folder, "makefile", MAKEFILE.format(
        run=RUN, out=out, good=script(folder, "good", "true"), bad=script(folder, "bad", "false")))
    for name, parts, closing in PARTS:
        yield name, verdict(*run("parts", "--make", f"make -f {makefile}", "--out", out, *parts.split()), closing, "")
    yield "what must be done first fails", verdict(
        *run("parts", "--make", f"make -f {makefile}", "--out", out, "--first", "echo so; exit 3", "--before", "good",
             "good"), "0 passed, 1 failed", "ended with 3")


def main():
    failed = count = 0
    with tempfile.TemporaryDirectory() as folder:
        for count, (name, (problems, output)) in enumerate(tests(folder), 1):
            if problems:
                failed += 1
                print("# " + "; ".join(problems))
                for line in output.splitlines():
                    print("#   " + line)
            print(f"{'not ' if problems else ''}ok {count} - {name}")
    print(f"1..{count}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
