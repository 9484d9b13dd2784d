# SPDX-License-Identifier: Apache-2.0
"""Runs the blocks of commands of a page, as they are written, in one folder and in the order of the page."""
import os
import pty
import signal
import subprocess
import time

LIMIT = 120     # seconds for a block; what is in documents takes a fraction of one each


class Folder:
    """Where a page's commands run: like a checkout that was built, with the library and the command installed
    below `root`. `given` is a script that makes what the page takes for granted."""

    def __init__(self, path, top, build, root):
        self.path, self.root = path, root
        self.env = {name: value for name, value in os.environ.items()
                    if not name.startswith(("MAKE", "MFLAGS", "ASCPROF_"))}
        local = root + "/usr/local"
        os.makedirs(path)
        for name in ("home", "tmp"):
            os.mkdir(os.path.join(path, "." + name))
        for name in os.listdir(top):
            if name not in (".git", "build"):
                os.symlink(os.path.join(top, name), os.path.join(path, name))
        os.symlink(build, os.path.join(path, "build"))
        self.env.update(HOME=path + "/.home", TMPDIR=path + "/.tmp", O=build, DESTDIR=root,
                        PATH=local + "/bin:" + self.env["PATH"], LD_LIBRARY_PATH=local + "/lib",
                        CPATH=local + "/include", LIBRARY_PATH=local + "/lib", MANPATH=local + "/share/man:",
                        PYTHONPATH=python_folder(root), PYTHONDONTWRITEBYTECODE="1",
                        PKG_CONFIG_PATH=local + "/lib/pkgconfig", PKG_CONFIG_SYSROOT_DIR=root,
                        TERM="xterm", LC_ALL="C.UTF-8")

    def given(self, script):
        return self.run_program(["sh", "-eu", script])

    def run_program(self, command):
        """(exit status, what was printed), and no process left."""
        log = os.path.join(self.path, ".log")
        with open(log, "wb") as output:
            process = subprocess.Popen(command, cwd=self.path, env=self.env, stdin=subprocess.DEVNULL, stdout=output,
                                       stderr=subprocess.STDOUT, start_new_session=True)
            try:
                code = process.wait(LIMIT)
            except subprocess.TimeoutExpired:
                code = f"no end within {LIMIT} s"
            end_all(process.pid)
            process.wait()
        with open(log, encoding="utf-8", errors="replace") as file:
            return code, file.read()

    def run(self, block):
        """Runs a block; raises its fault."""
        if block.interrupted:
            for number, text in commands(block):
                self._interrupted(block, number, text)
            return
        place = os.path.join(self.path, ".place")
        script = ["set -e", "trap 'echo \"$doc_line\" >\"$doc_place\"' EXIT"]
        for number, text in commands(block):
            script += [f"doc_line={number}", text]
        self.env["doc_place"] = place
        code, printed = self.run_program(["sh", "-c", "\n".join(script)])
        if code:
            with open(place, encoding="ascii") as file:
                number = int(file.read() or 0)
            command = dict(commands(block))[number].split("\n")[0]
            raise block.fault(f"`{command}`: {told(code)}{last(printed)}", number)

    def _interrupted(self, block, number, text):
        """A command that goes on until Ctrl-C gets one once it has printed, or written into a new file."""
        before = sizes(self.path)
        master, slave = pty.openpty()
        process = subprocess.Popen(["sh", "-c", "exec " + text], cwd=self.path, env=self.env, stdin=slave, stdout=slave,
                                   stderr=slave, start_new_session=True)
        os.close(slave)
        os.set_blocking(master, False)
        printed, asked, end = b"", False, time.monotonic() + LIMIT
        while process.poll() is None and time.monotonic() < end:
            printed += drain(master)
            if not asked and (printed or sizes(self.path) != before) and process.poll() is None:
                os.killpg(process.pid, signal.SIGINT)
                asked = True
            time.sleep(0.02)
        printed += drain(master)
        os.close(master)
        code = process.poll()
        end_all(process.pid)
        process.wait()
        if not asked:
            raise block.fault(f"`{text}`: {'ended by itself' if code is not None else 'told nothing'}"
                              f"{last(printed.decode(errors='replace'))}", number)
        if code:
            raise block.fault(f"`{text}`: after Ctrl-C: {told(code)}{last(printed.decode(errors='replace'))}", number)


def python_folder(root):
    for folder, folders, _ in os.walk(root):
        if "ascprof" in folders and os.path.isdir(os.path.join(folder, "ascprof", "acl")):
            return folder
    return ""


def sizes(folder):
    return {entry.name: entry.stat(follow_symlinks=False).st_size for entry in os.scandir(folder)
            if entry.is_file(follow_symlinks=False)}


def drain(descriptor):
    """What there is to read of a terminal."""
    found = b""
    while True:
        try:
            piece = os.read(descriptor, 65536)
        except (BlockingIOError, OSError):  # (nothing yet, or nobody writes any more)
            return found
        if not piece:
            return found
        found += piece


def end_all(group):
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        pass


def told(code):
    return f"exit status {code}" if isinstance(code, int) else code


def last(printed):
    lines = [line for line in printed.split("\n") if line.strip()][-8:]
    return "".join("\n    " + line for line in lines)


def complete(text):
    return subprocess.run(["sh", "-n", "-c", text], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          check=False).returncode == 0 and not text.endswith("\\")


def commands(block):
    """(offset of its first line, text) of each command of a block; one may have several lines."""
    found, pending, first = [], [], 0
    for offset, line in enumerate(block.text):
        if not pending:
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            first = offset
        pending.append(line)
        if complete("\n".join(pending)):
            found.append((first, "\n".join(pending)))
            pending = []
    if pending:
        raise block.fault("this command has no end, or is no command", first)
    return found
