#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants small faults, one at a time, and sees whether the tests of that module notice.

usage: mutate.py FOLDER [--count N] [--seed N] [--files PREFIX] [--jobs N] [--seconds N] [--again]

FOLDER gets copies of the tree, which are built there, and a line for each fault in `results`, from
which a later run goes on; --at-once N ends a run after that many, --again judges once more what has
survived so far. A fault is another operator, constant or condition, or a statement that is gone.
Which ones a seed takes depends on each fault's own line, and not on the rest of the sources. Not
counted is what does not compile, or compiles to the same object. A test notices when it fails
twice, and does not fail without the fault. judges.txt says which tests judge what.

Exit: 0 when at least nine of ten were caught, 1 otherwise, 2 when some are still to be judged.
"""
import argparse
import concurrent.futures
import hashlib
import os
import queue
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
FILE_BYTES = 4 << 30  # that one file of a test may have
SECONDS = 120       # of one test; a program that hangs is noticed
ENOUGH = 90         # percent
SOURCES = ("runtime", "tools", "kmod/core")

# what is no behaviour: hints to compiler and kernel, assertions of the compiler
NO_BEHAVIOUR = re.compile(r"^\s*(#|//|/?\*|_Static_assert|BUILD_BUG_ON|madvise|__builtin_prefetch|MODULE_|EXPORT_|static const|"
                          r"struct |enum |typedef |union |case )|likely\(|__builtin_expect|_Alignas|__attribute__")
# a larger array is none either
ROOM = re.compile(r"^\t+(static |const )*(struct \w+|\w+)( \w+)? \**\w+(\[\w+\])*\[\d+\]")
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
    room = ROOM.match(code)
    for m in re.finditer(r"(?<![\w.])\d+(?![\w.])", code):
        if not room or m.end() > room.end():
            yield "%s becomes %d" % (m.group(), int(m.group()) + 1), text[:m.start()] + str(int(m.group()) + 1) + text[m.end():]
    m = re.match(r"^(\t+(?:\} else )?if )\((.*)\)( \{)?$", text)
    if m and code.count("(") == code.count(")"):
        yield "condition is turned round", "%s(!(%s))%s" % (m.group(1), m.group(2), m.group(3) or "")
    if re.match(r"^\t+(?!return|goto|break|continue|else|do|if|for|while|va_)[a-z_>.\[\]-]+(\(.*\)| [|&+-]?= .*);$", code) and \
            code.count("(") == code.count(")"):
        yield "statement is gone", re.match(r"\t*", text).group() + ";"


def limit():
    """A program that writes without end must not take the disk of those that are tested after it."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_BYTES, FILE_BYTES))


def run(command, **kwargs):
    """Exit code; None when it took too long. Children go, too."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True, preexec_fn=limit, **kwargs)
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
    """A copy of the sources with what is built of them."""

    def __init__(self, folder, like=None):
        self.path = folder
        self.work = folder + ".work"
        if like and not os.path.exists(folder):
            subprocess.run(["cp", "-a", like, folder], check=True)
        os.makedirs(self.path, exist_ok=True)
        os.makedirs(self.work, exist_ok=True)
        self.log = open(folder + ".log", "ab")
        names = subprocess.run(["git", "ls-files", "-z"], cwd=TOP, stdout=subprocess.PIPE, check=True).stdout
        # a fault that an earlier run was killed with is taken back, and, being newer now, is compiled again
        subprocess.run(["rsync", "-rlp", "--checksum", "--from0", "--files-from=-", TOP + "/", self.path], input=names, check=True)
        build = self.whole("build")
        self.env = dict(os.environ, BUILD=build, TOP=self.path, TMPDIR=self.work, CMOCKA_MESSAGE_OUTPUT="TAP",
                        PATH=build + "/bin:" + os.environ["PATH"])
        # programs are there already: those whose sources are news are made, and what was changed meanwhile is made when it is judged
        there = os.path.exists(self.whole("build/tests/inside.a"))
        old = [word for name in ("libascprof.so", "libascprof.so.1", "tests/inside.a") for word in ("-o", "build/" + name) if there]
        if not self.make("test-programs", *old, seconds=3000):
            sys.exit("%s.log: the sources do not build as they are" % folder)

    def whole(self, path):
        return os.path.join(self.path, path)

    def make(self, *targets, seconds=600):
        got = subprocess.run(["make", "-s", "-j2", *targets], cwd=self.path, stdout=self.log, stderr=self.log,
                             timeout=seconds, check=False)
        return got.returncode == 0

    @staticmethod
    def targets(names):
        """What has to be built for these tests: programs that use the library as others do are there, and need not be linked anew."""
        inside = {"build/tests/" + name for name in names if name.startswith("unit/") and not name.startswith("unit/test_api_")}
        return sorted(inside | ({"lib"} if len(inside) < len(names) else set()) |
                      ({"tools"} if any(name.endswith(".sh") for name in names) else set()) |
                      ({"python"} if "process/python.sh" in names else set()))

    def test(self, name):
        """Why it fails; None."""
        path = self.whole("tests/" + name)
        command = ["sh", path] if name.endswith(".sh") else [self.whole("build/tests/" + ("api/rows" if name == "api" else name))]
        with tempfile.TemporaryFile() as output:    # a short one: some tests limit the size of files
            code = run(command, cwd=self.work, env=self.env, stdout=output, stderr=output)
            output.seek(0)
            self.log.write(output.read(1 << 20))
            self.log.flush()
        subprocess.run(["find", self.work, "-mindepth", "1", "-delete"], check=False, stderr=self.log)
        return None if code in (0, 77) else "too long" if code is None else str(code)

    def judge(self, names):
        """The test that notices, and why; None."""
        built = 1       # the first by itself: most are caught by it
        for number, name in enumerate(names):
            if number in (0, built) and not self.make(*self.targets(names[:1] if number == 0 else names)):
                return "(build)", "does not link"
            why = self.test(name)
            if why and (why == "too long" or self.test(name)):
                return name, why
        return None

    def code(self, path):
        """The object, without what debuggers read; tables with addresses and constants have sections of their own."""
        bare = self.path + ".bare"
        subprocess.run(["objcopy", "--strip-debug", self.object(path), bare], cwd=self.path, stderr=self.log, check=False)
        with open(bare, "rb") as f:
            return f.read()

    @staticmethod
    def object(path):
        return "build/" + path[:-2] + ".o"

    def write(self, path, text):
        with open(self.whole(path), "w", encoding="utf-8") as f:
            f.write(text)

    def plant(self, fault):
        """The file as it was; None when the fault is none."""
        with open(self.whole(fault.path), encoding="utf-8") as f:
            before = f.read()
        self.make(self.object(fault.path))
        good = self.code(fault.path)
        lines = before.split("\n")
        lines[fault.number] = fault.new
        self.write(fault.path, "\n".join(lines))
        if self.make(self.object(fault.path)) and self.code(fault.path) != good:
            return before
        self.write(fault.path, before)
        return None


class Fault:
    def __init__(self, path, number, what, new, dice):
        self.path, self.number, self.what, self.new, self.dice = path, number, what, new, dice

    def __str__(self):
        return "%s:%d: %s" % (self.path, self.number + 1, self.what)


class Judges:
    """judges.txt: which tests judge a file, and which of them are known to hold without a fault."""

    def __init__(self, sound):
        self.path = sound
        self.sound = set()
        if os.path.exists(sound):
            with open(sound, encoding="utf-8") as f:
                self.sound = set(f.read().split())
        with open(os.path.join(HERE, "judges.txt"), encoding="utf-8") as f:
            self.rows = [line.split() for line in f if line.strip() and not line.startswith("#")]

    def of(self, path):
        for row in self.rows:
            if path.startswith(row[0]):
                return row[1:]
        return sys.exit("judges.txt has no test of " + path)

    def look(self, tree, fault):
        """(verdict, by whom)"""
        names = self.of(fault.path)
        before = tree.plant(fault)
        if before is None:
            return "none", ""
        try:
            by = tree.judge(names)
        finally:
            tree.write(fault.path, before)
        if by is None:
            return "SURVIVED", fault.new.strip()
        if by[0] in names and by[0] not in self.sound:
            tree.make(*tree.targets(by[:1]))
            if tree.test(by[0]):
                return "unsound", "%s fails without a fault" % by[0]
            self.sound.add(by[0])
            with open(self.path, "a", encoding="utf-8") as f:
                f.write(by[0] + "\n")
        return "caught", "by %s (%s)" % by


def faults(seed, prefix):
    """All that can be planted, in the order of the dice."""
    everything = []
    for top in SOURCES:
        for root, _, names in os.walk(os.path.join(TOP, top)):
            for path in (os.path.relpath(os.path.join(root, name), TOP) for name in names if name.endswith(".c")):
                if path.startswith(prefix):
                    with open(os.path.join(TOP, path), encoding="utf-8") as f:
                        lines = f.readlines()
                    seen = {}
                    for number, line in enumerate(lines):
                        for what, new in faults_of(line):
                            text = "%d %s %s %s" % (seed, path, what, new.strip())
                            seen[text] = seen.get(text, 0) + 1
                            dice = hashlib.sha256(("%s %d" % (text, seen[text])).encode()).hexdigest()[:16]
                            everything.append(Fault(path, number, what, new, dice))
    return sorted(everything, key=lambda fault: fault.dice)


class Results:
    """dice, verdict and text of each fault that was judged; the last word on one counts."""

    def __init__(self, path):
        self.path = path
        self.lock = threading.Lock()
        self.known = {}
        if os.path.exists(path):
            with open(path, encoding="utf-8") as f:
                self.known = {line.split()[0]: line.split()[1] for line in f}

    def add(self, fault, verdict, text):
        with self.lock:
            self.known[fault.dice] = verdict
            with open(self.path, "a", encoding="utf-8") as f:
                f.write("%s %-8s %s: %s\n" % (fault.dice, verdict, fault, text))
            if verdict != "none":
                print("%-8s %s: %s" % (verdict, fault, text), flush=True)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("folder")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--files", default="", help="a prefix of file names")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=1e9, help="begin none after that time")
    parser.add_argument("--again", action="store_true", help="judge survivors again")
    return parser.parse_args()


def main():
    args = arguments()
    folder = os.path.abspath(args.folder)
    os.makedirs(folder, exist_ok=True)
    results = Results(os.path.join(folder, "results"))
    judges = Judges(os.path.join(folder, "sound"))
    order = faults(args.seed, args.files)

    def sample():
        """The first COUNT that are faults, as far as is known."""
        return [fault for fault in order if results.known.get(fault.dice) != "none"][:args.count]

    def verdicts(verdict):
        return [fault for fault in sample() if results.known.get(fault.dice) == verdict]

    again = verdicts("SURVIVED") if args.again else []
    for fault in again + verdicts("unsound"):
        del results.known[fault.dice]
    if any(fault.dice not in results.known for fault in sample()):
        first = Tree(os.path.join(folder, "tree1"))
        trees = queue.SimpleQueue()
        for number in range(args.jobs):
            trees.put(Tree(os.path.join(folder, "tree%d" % (number + 1)), first.path) if number else first)

        end = time.monotonic() + args.seconds

        def one(fault):
            if time.monotonic() > end:
                return
            tree = trees.get()
            try:
                results.add(fault, *judges.look(tree, fault))
            finally:
                trees.put(tree)

        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            while time.monotonic() < end:
                batch = [fault for fault in sample() if fault.dice not in results.known]
                if not batch:
                    break
                list(pool.map(one, batch))
    caught, survived, total = len(verdicts("caught")), len(verdicts("SURVIVED")), len(sample())
    print("mutate: %d faults, %d caught, %d survived (seed %d, of %d that could be planted)%s"
          % (caught + survived, caught, survived, args.seed, len(order),
             "; %d are not judged yet" % (total - caught - survived) if caught + survived < total else ""))
    if caught + survived < total:
        return 2
    return 0 if caught * 100 >= total * ENOUGH else 1


if __name__ == "__main__":
    sys.exit(main())
