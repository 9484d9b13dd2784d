#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants small faults, one at a time, and sees whether the tests of that module notice.

usage: mutate.py FOLDER [COUNT [SEED [FILES]]]      FILES: a prefix of file names

FOLDER gets a copy of the tree, which is built there, and a line for each fault in `results`, so
that later runs add to it. A fault is another operator, constant or condition, or a statement that
is gone. Not counted is what does not compile, or compiles to the same instructions. Exit: 0 when at
least nine of ten were caught, 1 otherwise. judges.txt says which tests judge what.
"""
import os
import random
import re
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
SECONDS = 100       # of one test; a program that hangs is noticed
ENOUGH = 90         # percent

# what is no behaviour: hints to compiler and kernel, assertions of the compiler
NO_BEHAVIOUR = re.compile(r"^\s*(#|//|/?\*|_Static_assert|BUILD_BUG_ON|madvise|__builtin_prefetch|MODULE_|EXPORT_|static const|"
                          r"struct |enum |typedef |union |case )|likely\(|_Alignas|__attribute__")
OPERATORS = [(" == ", " != "), (" != ", " == "), (" < ", " <= "), (" <= ", " < "), (" > ", " >= "), (" >= ", " > "),
             (" && ", " || "), (" || ", " && "), (" + ", " - "), (" - ", " + "), (" += ", " -= "), (" -= ", " += "),
             (" & ", " | "), ("true", "false"), ("false", "true"), ("++", "--"), (" * ", " + "), (" / ", " * ")]


def faults_of(line):
    """All (what, line) that can be made of one."""
    text = line.rstrip("\n")
    code = re.sub(r'"(\\.|[^"\\])*"|\'(\\.|[^\'\\])*\'', lambda m: "@" * len(m.group()), text)
    code = re.sub(r"/\*.*", lambda m: "@" * len(m.group()), code)
    if NO_BEHAVIOUR.search(text) or not text.startswith("\t") or not code.strip():
        return
    for old, new in OPERATORS:
        for m in re.finditer(re.escape(old), code):
            if not old.isalpha() or not re.search(r"\w", code[m.start() - 1:m.start()] + code[m.end():m.end() + 1]):
                yield "%s becomes %s" % (old.strip(), new.strip()), text[:m.start()] + new + text[m.end():]
    for m in re.finditer(r"(?<![\w.])\d+(?![\w.])", code):
        yield "%s becomes %d" % (m.group(), int(m.group()) + 1), text[:m.start()] + str(int(m.group()) + 1) + text[m.end():]
    m = re.match(r"^(\t+(?:\} else )?if )\((.*)\)( \{)?$", text)
    if m and code.count("(") == code.count(")"):
        yield "condition is turned round", "%s(!(%s))%s" % (m.group(1), m.group(2), m.group(3) or "")
    if re.match(r"^\t+(?!return|goto|break|continue|else|do|if|for|while|va_)[a-z_>.\[\]-]+(\(.*\)| [|&+-]?= .*);$", code) and \
            code.count("(") == code.count(")"):
        yield "statement is gone", re.match(r"\t*", text).group() + ";"


def run(command, **kwargs):
    """Exit code; None when it took too long. Children go, too."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True, **kwargs)
    try:
        return process.wait(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return None
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()


class Tree:
    def __init__(self, folder):
        self.path = os.path.join(folder, "tree")
        self.build = os.path.join(folder, "build")
        self.work = os.path.join(folder, "work")
        self.log = open(os.path.join(folder, "log"), "ab")
        self.judges = []
        with open(os.path.join(HERE, "judges.txt"), encoding="utf-8") as f:
            self.judges = [line.split() for line in f if line.strip() and not line.startswith("#")]
        os.makedirs(self.path, exist_ok=True)
        os.makedirs(self.work, exist_ok=True)
        names = subprocess.run(["git", "ls-files", "-z"], cwd=TOP, stdout=subprocess.PIPE, check=True).stdout
        # a fault that an earlier run was killed with is taken back, and, being newer now, is compiled again
        subprocess.run(["rsync", "-rlp", "--checksum", "--from0", "--files-from=-", TOP + "/", self.path], input=names, check=True)
        self.env = dict(os.environ, BUILD=self.build, TOP=self.path, TMPDIR=self.work, CMOCKA_MESSAGE_OUTPUT="TAP",
                        PATH=self.build + "/bin:" + os.environ["PATH"])
        self.make("test-programs", seconds=3000)

    def make(self, *targets, seconds=600):
        got = subprocess.run(["make", "-s", "-j2", "O=" + self.build, *targets], cwd=self.path, stdout=self.log, stderr=self.log,
                             timeout=seconds, check=False)
        return got.returncode == 0

    def names(self, path):
        for row in self.judges:
            if path.startswith(row[0]):
                return row[1:]
        return []

    def target(self, name):
        return os.path.join(self.build, "tests", "api/rows" if name == "api" else name)

    def judge(self, path):
        """The test that notices; None."""
        for name in self.names(path):
            script = name.endswith(".sh")
            if not self.make("test-programs" if script else self.target(name)):
                sys.exit("%s does not link: see the log" % name)
            command = ["sh", os.path.join(self.path, "tests", name)] if script else [self.target(name)]
            code = run(command, cwd=self.work, env=self.env, stdout=self.log, stderr=self.log)
            subprocess.run(["find", self.work, "-mindepth", "1", "-delete"], check=False, stderr=self.log)
            if code not in (0, 77):
                return "%s (%s)" % (name, "too long" if code is None else code)
        return None

    def object(self, path):
        return os.path.join(self.build, path[:-2] + ".o")

    def code(self, path):
        """Instructions and data of the object, without what debuggers read."""
        got = subprocess.run(["objdump", "-s", "-j", ".text", "-j", ".rodata", "-j", ".data", "-j", ".text.unlikely",
                              "-r", self.object(path)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
        return re.sub(rb"^.*file format.*$", b"", got.stdout, flags=re.M)


def candidates(tree, prefix):
    for row in tree.judges:
        for root, _, files in sorted(os.walk(os.path.join(tree.path, row[0]))):
            for name in sorted(files):
                path = os.path.relpath(os.path.join(root, name), tree.path)
                if name.endswith(".c") and path.startswith(prefix):
                    with open(os.path.join(tree.path, path), encoding="utf-8") as f:
                        lines = f.readlines()
                    yield from ((path, number, what, new) for number, line in enumerate(lines) for what, new in faults_of(line))


def plant(tree, path, number, new):
    """Return: the file as it was; None when the fault is none."""
    whole = os.path.join(tree.path, path)
    with open(whole, encoding="utf-8") as f:
        before = f.read()
    tree.make(tree.object(path))
    good = tree.code(path)
    lines = before.split("\n")
    lines[number] = new
    with open(whole, "w", encoding="utf-8") as f:
        f.write("\n".join(lines))
    if tree.make(tree.object(path)) and tree.code(path) != good:
        return before
    with open(whole, "w", encoding="utf-8") as f:
        f.write(before)
    return None


def main():
    folder = os.path.abspath(sys.argv[1])
    count, seed, prefix = int((sys.argv[2:] + ["100"])[0]), int((sys.argv[3:] + ["1"])[0]), (sys.argv[4:] + [""])[0]
    os.makedirs(folder, exist_ok=True)
    tree = Tree(folder)
    dice = random.Random(seed)
    everything = list(candidates(tree, prefix))
    caught = survived = 0
    while caught + survived < count and everything:
        path, number, what, new = everything.pop(dice.randrange(len(everything)))
        before = plant(tree, path, number, new)
        if before is None:
            continue
        try:
            by = tree.judge(path)
        finally:
            with open(os.path.join(tree.path, path), "w", encoding="utf-8") as f:
                f.write(before)
        caught += by is not None
        survived += by is None
        line = "%s %s:%d: %s%s" % ("caught  " if by else "SURVIVED", path, number + 1, what, " by " + by if by else ": " + new.strip())
        print(line, flush=True)
        with open(os.path.join(folder, "results"), "a", encoding="utf-8") as f:
            f.write(line + "\n")
    print("mutate: %d faults, %d caught, %d survived (seed %d, of %d that could be planted)"
          % (caught + survived, caught, survived, seed, len(everything)))
    return 0 if caught * 100 >= (caught + survived) * ENOUGH else 1


if __name__ == "__main__":
    sys.exit(main())
